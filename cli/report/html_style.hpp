#pragma once

namespace stiefel::cli {

/// The style sheet of report pages: light or dark as the reader's system is, from a phone's width on, and on paper.
extern const char* const html_style;

}  // namespace stiefel::cli
