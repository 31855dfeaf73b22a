// Raw outputs of the reference C++ library (Debian package libpcg-cpp-dev): pcg64_oracle STATE SEQ N
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pcg_random.hpp>

int main(int, char **argv)
{
    pcg64 g(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
    for (std::uint64_t n = std::strtoull(argv[3], nullptr, 10); n > 0; n--) {
        std::uint64_t x = g();
        std::fwrite(&x, sizeof x, 1, stdout);
    }
}
