# A million unknowns on Debian's slim image, on the cores of the host:
#   docker build -t stiefel . && docker run --rm stiefel
# The program alone: docker run --rm -v "$PWD":/data -w /data stiefel stiefel solve A.mtx -o x.mtx
FROM debian:bookworm-slim
WORKDIR /opt/stiefel
COPY scripts/dependencies scripts/dependencies
RUN scripts/dependencies && rm -rf /var/lib/apt/lists/*
COPY . .
# Not for the processor of the machine that builds: an image is run on others.
RUN cmake --preset release -D STIEFEL_NATIVE=OFF -D STIEFEL_TESTS=OFF -D STIEFEL_BENCH=OFF -D STIEFEL_EXAMPLES=OFF \
 && scripts/install /usr/local
CMD ["scripts/demo"]
