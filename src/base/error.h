// The one exception that leaves a module; users catch it too.
#pragma once

#include <trireme/error.h>

#include "base/types.h"
