# The demo, a million unknowns on the cores of the host, from the package on Debian's slim image:
#   docker build -t stiefel . && docker run --rm stiefel
# The program on your own files: docker run --rm -v "$PWD":/data -w /data stiefel stiefel solve A.mtx -o x.mtx
FROM debian:bookworm-slim AS build
WORKDIR /stiefel
COPY scripts/dependencies scripts/dependencies
RUN scripts/dependencies dpkg-dev file
COPY . .
RUN scripts/package -D STIEFEL_CUDA=OFF

FROM debian:bookworm-slim
COPY --from=build /stiefel/out/packages/stiefel_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/stiefel_*.deb \
 && rm -rf /tmp/stiefel_*.deb /var/lib/apt/lists/*
COPY scripts/demo /demo/scripts/demo
CMD ["/demo/scripts/demo", "stiefel"]
