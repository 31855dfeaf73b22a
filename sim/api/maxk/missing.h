/* What stands for a value that is missing, in every header of maxk:
 *
 *     the number of an arm, a trial or another item   MK_NONE
 *     a count in a table                              MK_COUNT_MISSING
 *     a flag in a table                               MK_FLAG_MISSING
 *     a real number                                   NaN
 *     a text or an object                             NULL */
#ifndef MAXK_MISSING_H
#define MAXK_MISSING_H

#include <stdint.h>

#define MK_NONE SIZE_MAX
#define MK_COUNT_MISSING UINT64_MAX
#define MK_FLAG_MISSING 255 /* flags are 0 or 1 */

#endif
