/* Words of the input: shortened for messages, checked, compared. */
#ifndef MAXK_SIM_BASE_TEXT_H
#define MAXK_SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MK_CLIP_ROOM = 96, MK_SIZE_ROOM = 32, MK_COUNTED_ROOM = 80 };

/* Text shortened for a message: at most 60 bytes, cut between characters, "…" in place of the rest. */
const char *mk_clip(const char *text, char out[MK_CLIP_ROOM]);
const char *mk_clip_bytes(const char *text, size_t length, char out[MK_CLIP_ROOM]);

/* Bytes of the UTF-8 character (RFC 3629) at text[0 … n-1]; 0 if there is none. */
size_t mk_text_character(const char *text, size_t n);

/* 1 when that character of n bytes ends a line, controls a terminal or reverses the direction of writing. */
bool mk_text_is_control(const char *text, size_t n);

/* 1 when the bytes are UTF-8 without such characters. */
bool mk_text_printable(const char *text, size_t length);

/* The same for every line of a text. */
bool mk_text_printable_lines(const char *text);

/* Makes it printable in place: blanks for control characters, question marks for bytes that are not UTF-8. */
void mk_text_one_line(char *text);

/* Frees text[0 … n-1] and text itself, which may be NULL. */
void mk_free_texts(char **text, size_t n);

/* Words joined by ", ", as many as fit, then "…". */
const char *mk_join(const char *const *word, size_t n, char *out, size_t room);

/* The word of list[0 … n-1] that `word` was probably meant to be, or NULL: one or two typing errors away, where upper
 * and lower case, `_`, `-` and blanks do not count. */
const char *mk_nearest(const char *word, const char *const *list, size_t n);

/* The end of an error message: "did you mean NEAREST?", or `otherwise` when nearest is NULL. */
const char *mk_hint(const char *nearest, const char *otherwise, char out[MK_CLIP_ROOM]);

/* A number with its noun, "1 policy", "2 policies"; many == NULL: the plural is `one` with an s. */
const char *mk_counted(uint64_t n, const char *one, const char *many, char out[MK_COUNTED_ROOM]);

/* The name of a file without its folder and its type suffixes (.csv.gz, .yaml, .yml, .h5), cut to `room`. */
const char *mk_file_stem(const char *path, char *out, size_t room);

/* A part of a file name made only of letters, digits, '.', '_', '-': other characters become '_', a run of them one;
 * never empty, never starting with '.' or '-'. */
void mk_file_name_part(const char *text, char *out, size_t room);

/* Bytes with three digits and a unit: 1.5 GB. */
const char *mk_size_text(double bytes, char out[MK_SIZE_ROOM]);

/* A text as JSON, in its quotes. */
void mk_put_json_text(FILE *to, const char *text);

/* Words, ended by NULL, as one line that a shell takes; malloc'ed, NULL: out of memory. */
char *mk_command_text(char *const *word);

#endif
