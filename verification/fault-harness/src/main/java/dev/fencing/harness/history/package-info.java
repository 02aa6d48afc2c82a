/** What a run leaves behind: operations, accepted writes, faults and how it ended, as EDN files. */
@NullMarked
package dev.fencing.harness.history;

import org.jspecify.annotations.NullMarked;
