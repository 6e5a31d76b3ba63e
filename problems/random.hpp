#pragma once

#include "stiefel/core/random.hpp"
