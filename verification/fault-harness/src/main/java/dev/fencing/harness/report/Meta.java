package dev.fencing.harness.report;

import java.util.Map;

/**
 * What a report was made from.
 *
 * @param profile the length of the runs: "short", "long", "release"
 * @param date when, as people read it
 * @param seed what all schedules of faults were made from
 * @param versions name and version of what took part, in the order in which they are printed
 */
public record Meta(String profile, String date, long seed, Map<String, String> versions) {}
