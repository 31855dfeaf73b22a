#include "analysis/answers/figures/plot/plot_tex.h"

#include <stdbool.h>
#include <string.h>

#include "sim/base/text.h"

/* Those of OT1 and T1 that do not depend on the language of the document. Signs of the second table are formulas. */
static const struct sign {
    const char *from, *to;
} words[] =
    {
        {"%", "\\%"},
        {"_", "\\_"},
        {"#", "\\#"},
        {"&", "\\&"},
        {"$", "\\$"},
        {"{", "\\{"},
        {"}", "\\}"},
        {"\\", "\\textbackslash{}"},
        {"^", "\\textasciicircum{}"},
        {"~", "\\textasciitilde{}"},
        {"[", "\\lbrack{}"},
        {"]", "\\rbrack{}"},
        {"'", "\\textquoteright{}"},
        {"`", "\\textquoteleft{}"},
        {"\"", "\\textquotedblright{}"},
        {"‘", "\\textquoteleft{}"},
        {"’", "\\textquoteright{}"},
        {"“", "\\textquotedblleft{}"},
        {"”", "\\textquotedblright{}"},
        {"…", "\\textellipsis{}"},
        {"–", "\\textendash{}"},
        {"—", "\\textemdash{}"},
        {"\u00A0", "~"},
        {"\u2009", "\\,"},
        {"\u202F", "\\,"},
        {"\u00AD", "\\-"},
        {"\uFFFD", "?"},
},
  formulas[] = {
      {"<", "<"},
      {">", ">"},
      {"|", "|"},
      {"±", "\\pm{}"},
      {"·", "\\cdot{}"},
      {"⋅", "\\cdot{}"},
      {"×", "\\times{}"},
      {"÷", "\\div{}"},
      {"−", "-"},
      {"¬", "\\neg{}"},
      {"≤", "\\leq{}"},
      {"≥", "\\geq{}"},
      {"≠", "\\neq{}"},
      {"≈", "\\approx{}"},
      {"≡", "\\equiv{}"},
      {"∼", "\\sim{}"},
      {"∝", "\\propto{}"},
      {"≪", "\\ll{}"},
      {"≫", "\\gg{}"},
      {"∞", "\\infty{}"},
      {"√", "\\surd{}"},
      {"∑", "\\sum{}"},
      {"∏", "\\prod{}"},
      {"∫", "\\int{}"},
      {"∂", "\\partial{}"},
      {"∇", "\\nabla{}"},
      {"∈", "\\in{}"},
      {"∉", "\\notin{}"},
      {"∅", "\\emptyset{}"},
      {"∪", "\\cup{}"},
      {"∩", "\\cap{}"},
      {"→", "\\to{}"},
      {"←", "\\leftarrow{}"},
      {"↑", "\\uparrow{}"},
      {"↓", "\\downarrow{}"},
      {"⇒", "\\Rightarrow{}"},
      {"°", "{}^{\\circ}{}"},
      {"•", "\\bullet{}"},
      {"∗", "*"},
      {"ℓ", "\\ell{}"},
      {"⌈", "\\lceil{}"},
      {"⌉", "\\rceil{}"},
      {"⌊", "\\lfloor{}"},
      {"⌋", "\\rfloor{}"},
      {"µ", "\\mu{}"},
      {"ϑ", "\\vartheta{}"},
      {"ϕ", "\\phi{}"},
      {"ϵ", "\\epsilon{}"},
};
enum { WORDS = sizeof words / sizeof *words, FORMULAS = sizeof formulas / sizeof *formulas };

/* From U+0391 and U+03B1 on; letters that look like Latin ones are those. */
static const char *const capital[] = {"A",         "B",      "\\Gamma{}", "\\Delta{}",  "E",         "Z", "H",
                                      "\\Theta{}", "I",      "K",         "\\Lambda{}", "M",         "N", "\\Xi{}",
                                      "O",         "\\Pi{}", "P",         "",           "\\Sigma{}", "T", "\\Upsilon{}",
                                      "\\Phi{}",   "X",      "\\Psi{}",   "\\Omega{}"};
static const char *const small[] = {"\\alpha{}",   "\\beta{}",   "\\gamma{}",    "\\delta{}", "\\varepsilon{}",
                                    "\\zeta{}",    "\\eta{}",    "\\theta{}",    "\\iota{}",  "\\kappa{}",
                                    "\\lambda{}",  "\\mu{}",     "\\nu{}",       "\\xi{}",    "o",
                                    "\\pi{}",      "\\rho{}",    "\\varsigma{}", "\\sigma{}", "\\tau{}",
                                    "\\upsilon{}", "\\varphi{}", "\\chi{}",      "\\psi{}",   "\\omega{}"};

static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻", "⁺", "ⁿ"};
static const char *const lowered[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉", "₋", "₊", "ₙ"};
static const char plain[] = "0123456789-+n";
enum { SMALL_SIGNS = sizeof plain - 1 };

/* Whether `text`, of `bytes` bytes, begins with the character `sign`. */
static bool begins(const char *text, size_t bytes, const char *sign)
{
    const size_t n = strlen(sign);
    return n <= bytes && memcmp(text, sign, n) == 0;
}

static const char *find(const struct sign *table, size_t n, const char *text, size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        if (begins(text, bytes, table[i].from)) return table[i].to;
    return NULL;
}

static const char *greek(const char *text, size_t bytes)
{
    if (bytes < 2) return NULL;
    const unsigned first = (unsigned char)text[0], second = (unsigned char)text[1];
    if (first != 0xCE && first != 0xCF) return NULL;
    const unsigned code = (first & 0x1F) << 6 | (second & 0x3F);
    const char *const letter = code >= 0x391 && code <= 0x3A9   ? capital[code - 0x391]
                               : code >= 0x3B1 && code <= 0x3C9 ? small[code - 0x3B1]
                                                                : NULL;
    return letter && letter[0] ? letter : NULL;
}

/* The digit or sign that a raised or lowered one stands for; '\0' where there is none. */
static char small_sign(const char *const *table, const char *text, size_t bytes)
{
    for (size_t i = 0; i < SMALL_SIGNS; i++)
        if (begins(text, bytes, table[i])) return plain[i];
    return '\0';
}

static const char *formula(const char *text, size_t bytes)
{
    const char *const sign = find(formulas, FORMULAS, text, bytes);
    return sign ? sign : greek(text, bytes);
}

/* A number that belongs to a formula: followed by a power or a product. */
static bool number_in_formula(const char *text, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && strchr("0123456789.", text[n])) n++;
    const char *const next = text + n;
    return n > 0 && (begins(next, bytes - n, "·") || begins(next, bytes - n, "×") ||
                     small_sign(raised, next, bytes - n) || small_sign(lowered, next, bytes - n));
}

static bool is_digit(const char *text, size_t bytes)
{
    return bytes > 0 && text[0] >= '0' && text[0] <= '9';
}

static bool is_number(const char *text, size_t bytes)
{
    bool digits = false;
    for (size_t i = 0; i < bytes; i++) {
        if (!strchr("0123456789.", text[i]) && !(i == 0 && strchr("-+", text[i]))) return false;
        digits |= is_digit(text + i, bytes - i);
    }
    return digits;
}

/* Writes a run of raised or lowered digits; returns its bytes. */
static size_t write_run(FILE *to, const char *const *table, const char *text, size_t bytes)
{
    size_t done = 0;
    fputs(table == raised ? "^{" : "_{", to);
    for (char c; (c = small_sign(table, text + done, bytes - done));
         done += mk_text_character(text + done, bytes - done))
        fputc(c, to);
    fputc('}', to);
    return done;
}

/* Digits of a formula continue it; other text ends it. */
static bool in_formula(const char *text, size_t bytes, bool already)
{
    return formula(text, bytes) || small_sign(raised, text, bytes) || small_sign(lowered, text, bytes) ||
           (already ? is_digit(text, bytes) || (text[0] == '.' && is_digit(text + 1, bytes - 1))
                    : number_in_formula(text, bytes));
}

/* Returns the bytes of the text that are written. */
static size_t write_formula(FILE *to, const char *text, size_t bytes)
{
    if (small_sign(raised, text, bytes)) return write_run(to, raised, text, bytes);
    if (small_sign(lowered, text, bytes)) return write_run(to, lowered, text, bytes);
    const char *const sign = formula(text, bytes);
    const size_t n = mk_text_character(text, bytes);
    if (sign)
        fputs(sign, to);
    else
        fwrite(text, 1, n, to);
    return n;
}

static size_t write_word(FILE *to, const char *text, size_t bytes)
{
    const char *const word = find(words, WORDS, text, bytes);
    const size_t found = mk_text_character(text, bytes), n = found ? found : 1;
    if (word)
        fputs(word, to);
    else
        fwrite(text, 1, n, to);
    if (bytes > 1 && strchr("-,", text[0]) && text[1] == text[0]) fputs("{}", to); /* else a dash, a quotation mark */
    return n;
}

void mk_tex_write(FILE *to, const char *text, size_t bytes)
{
    bool open = false;
    const bool number = is_number(text, bytes);
    for (size_t i = 0; i < bytes;) {
        const bool inside = number || in_formula(text + i, bytes - i, open);
        if (inside != open) fputc('$', to);
        open = inside;
        i += (inside ? write_formula : write_word)(to, text + i, bytes - i);
    }
    if (open) fputc('$', to);
}
