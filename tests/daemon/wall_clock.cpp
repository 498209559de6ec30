// Preloaded into a process (LD_PRELOAD) it sets that process's wall clock, and no other clock: by the seconds that
// the file $WALL_CLOCK holds as a 64-bit number, which may change at any time. Debian's libfaketime is no use here:
// it also touches waits on condition variables, and the interpreter's threads then stall.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

std::int64_t seconds_off() {
    static const volatile std::int64_t* const offset = [] {
        const int file = open(getenv("WALL_CLOCK"), O_RDONLY | O_CLOEXEC);
        void* const page = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (page == MAP_FAILED) abort();
        return static_cast<const volatile std::int64_t*>(page);
    }();
    return *offset;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
    using Real = int (*)(clockid_t, timespec*);
    static const Real real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += seconds_off();
    return result;
}

int gettimeofday(timeval* now, void*) noexcept {
    timespec exact;
    const int result = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t* result) noexcept {
    timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (result != nullptr) *result = exact.tv_sec;
    return exact.tv_sec;
}
}
