// The type with which users choose a rule is public.
#pragma once

#include <trireme/rule.h>  // IWYU pragma: export
