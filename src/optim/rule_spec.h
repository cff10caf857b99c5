// What users give to name a rule is public.
#pragma once

#include <trireme/rule.h>  // IWYU pragma: export
