package dev.fencing.examples.comparison.server;

/**
 * A running server that is a process of its own.
 *
 * @param name what it is
 * @param pid its process
 * @param port where it listens on 127.0.0.1
 */
public record Node(String name, long pid, int port) {}
