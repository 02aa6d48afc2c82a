package dev.fencing.jdbc;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the fence of one resource held when it was read, for people and dashboards.
 *
 * <p>It is old as soon as it is there: no decision to write may rest on it, only a check decides.
 *
 * @param resource what is protected
 * @param generation compared before the token, 0 or greater
 * @param token the highest token that was raised, greater than 0
 * @param origin where the tokens come from; null if no holder has said so
 * @param holder who raised it; null if unknown
 * @param raisedAt when, by the database's clock
 * @param retired whether {@link JdbcFence#retire} has closed the resource for good; the generation
 *     and the token are {@link Long#MAX_VALUE} then
 */
public record FenceState(
    String resource,
    long generation,
    long token,
    @Nullable String origin,
    @Nullable String holder,
    Instant raisedAt,
    boolean retired) {}
