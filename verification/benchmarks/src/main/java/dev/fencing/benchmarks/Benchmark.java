package dev.fencing.benchmarks;

/** One benchmark on the server of the run. */
@FunctionalInterface
interface Benchmark {

  void run(ServerProcess server, Effort effort, Findings findings) throws Exception;
}
