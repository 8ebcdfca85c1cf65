// newlib's printf, scanf, strtod and qsort: long paths through 64-bit and floating-point code, and malloc.

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    printf("%d %i %u %x %X %o %c %s %%\n", -5, INT_MIN, UINT_MAX, 0xBEEF, 0xBEEF, 0755, 'z', "text");
    printf("[%8d] [%-8d] [%08d] [%+d] [% d] [%.3d] [%10.4x] [%*d]\n", 42, 42, 42, 42, 42, 7, 0x2a, 6, -42);
    printf("%lld %llu %llx %hd %lu %p\n", LLONG_MIN, ULLONG_MAX, 0x123456789ABCDEFll, (short)70000,
           (unsigned long)sizeof(int), (void *)0x1234);
    printf("[%s] [%10s] [%-10s] [%.2s]\n", "abc", "abc", "abc", "abc");
    static const double values[] = {0.0,   -0.0,    1.0,    -1.5,     3.14159265358979, 1e-5,    123456789.125,
                                    1e100, 1e-300,  5e-324, 2.5,      0.1,              1.0 / 3, 4294967296.0,
                                    1e15,  1e16,    -7e22,  INFINITY, -INFINITY,        NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        printf("%f %e %g %.0f %.15g %10.3f\n", fabs(values[i]) < 1e50 ? values[i] : 9.0, values[i], values[i],
               fabs(values[i]) < 1e50 ? values[i] : 8.5, values[i], fmod(values[i], 1000.0));

    static const char *const numbers[] = {"12",  "-0.5e3", "1e400", "0x1.8p3", "  77.25abc", "1e-320", "nan",
                                          "inf", "junk",   "9007199254740993"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *rest;
        const double value = strtod(numbers[i], &rest);
        printf("%s -> %.17g, rest '%s', as float %.9g, as long %ld\n", numbers[i], value, rest,
               (double)strtof(numbers[i], NULL), strtol(numbers[i], NULL, 0));
    }
    int day, count;
    float level;
    char word[16];
    count = sscanf("on day 31 level 2.75 done", "on day %d level %f %15s", &day, &level, word);
    printf("%d: %d %.2f %s\n", count, day, (double)level, word);

    double *many = malloc(300 * sizeof *many);
    for (int i = 0; i < 300; i++) many[i] = (double)(int32_t)next_random() / 65536.0;
    qsort(many, 300, sizeof *many, by_value);
    double sum = 0;
    for (int i = 0; i < 300; i++) sum += many[i] * i;
    printf("%.6f %.6f %.6f\n", many[0], many[299], sum);
    char *text = malloc(64);
    snprintf(text, 64, "%s-%05.1f-%lu", "joined", 2.25, strtoul("ffff", NULL, 16));
    many = realloc(many, 5000);
    printf("%s %d %g\n", text, (int)strlen(text), many[10]);
    free(text);
    free(many);
    return 255;
}
