// newlib with its own semihosting library: start-up, heap information, command line, files ":tt", clock, exit.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char **arguments) {
    // How the program itself is called differs from runner to runner; what follows does not.
    for (int i = 1; i < count; i++) printf("argument %d: %s\n", i, arguments[i]);
    char *space = malloc(100000);
    if (!space) return 1;
    memset(space, 'x', 99999);
    space[99999] = 0;
    printf("heap holds %d, clock runs: %d\n", (int)strlen(space), clock() != (clock_t)-1);
    fprintf(stdout, "pi is about %.5f\n", 22 / 7.0);
    exit(count == 4 ? 17 : 2);
}
