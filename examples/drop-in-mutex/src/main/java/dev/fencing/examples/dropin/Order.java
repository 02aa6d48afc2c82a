package dev.fencing.examples.dropin;

/**
 * What somebody wants from the shelf.
 *
 * @param id the number of the order
 * @param article what is wanted
 * @param pieces how many of it
 */
public record Order(String id, String article, int pieces) {}
