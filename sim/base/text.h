/* Words of the input: shortened for messages, checked, compared. */
#ifndef MAXK_SIM_BASE_TEXT_H
#define MAXK_SIM_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { MK_CLIP_ROOM = 96, MK_SIZE_ROOM = 32, MK_COUNTED_ROOM = 80 };

/* Text shortened for a message: at most 60 bytes, cut between characters, "…" in place of the rest. */
const char *mk_clip(const char *text, char out[MK_CLIP_ROOM]);
const char *mk_clip_bytes(const char *text, size_t length, char out[MK_CLIP_ROOM]);

/* Bytes of the UTF-8 character (RFC 3629) at text[0 … n-1]; 0: there is none. */
size_t mk_text_character(const char *text, size_t n);

/* 1 when that character of n bytes ends a line, steers a terminal or turns the direction of writing. */
int mk_text_is_control(const char *text, size_t n);

/* 1 when the bytes are UTF-8 without such characters. */
int mk_text_printable(const char *text, size_t length);

/* The same of every line of a text. */
int mk_text_printable_lines(const char *text);

/* Makes it so in place: blanks for control characters, question marks for bytes that are not UTF-8. */
void mk_text_one_line(char *text);

/* Words joined by ", ", as many as fit, then "…". */
const char *mk_join(const char *const *word, size_t n, char *out, size_t room);

/* The word of list[0 … n-1] that `word` was probably meant to be, or NULL: one or two typing errors away, where upper
 * and lower case, `_`, `-` and blanks do not count. */
const char *mk_nearest(const char *word, const char *const *list, size_t n);

/* What an error message may end with: "did you mean NEAREST?", or `otherwise` when nearest is NULL. */
const char *mk_hint(const char *nearest, const char *otherwise, char out[MK_CLIP_ROOM]);

/* A number with its noun, "1 policy", "2 policies"; many == NULL: one with an s. */
const char *mk_counted(uint64_t n, const char *one, const char *many, char out[MK_COUNTED_ROOM]);

/* The name of a file without its folder and what tells its kind (.csv.gz, .yaml, .yml, .h5), cut to `room`. */
const char *mk_file_stem(const char *path, char *out, size_t room);

/* Bytes with three digits and a unit: 1.5 GB. */
const char *mk_size_text(double bytes, char out[MK_SIZE_ROOM]);

#endif
