package dev.fencing.curator;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a node among all that wait for a lock.
 *
 * @param predecessor the last node that has to go first, null at the head
 * @param second the last one before that, null if there is none
 * @param onlyPredecessor whether the head is reached when it goes
 * @param twins other nodes of the same attempt, left over from a create that was sent twice
 */
record QueuePlace(
    @Nullable String predecessor,
    @Nullable String second,
    boolean onlyPredecessor,
    List<String> twins) {

  /** Returns null if {@code mine} is not among the children. Linear: nobody needs them sorted. */
  static @Nullable QueuePlace of(NodeKind kind, String mine, List<String> children) {
    String order = kind.order(mine);
    String attempt = mine.substring(0, mine.lastIndexOf('-') + 1);
    boolean found = false;
    int before = 0;
    String last = null;
    String lastOrder = "";
    String second = null;
    String secondOrder = "";
    List<String> twins = new ArrayList<>(0);
    for (String child : children) {
      if (child.equals(mine)) {
        found = true;
        continue;
      }
      if (child.startsWith(attempt)) {
        twins.add(child);
        continue; // It goes, and nobody waits for it.
      }
      String childOrder = kind.order(child);
      if (childOrder.compareTo(order) < 0 && kind.waitsFor(child)) {
        before++;
        if (childOrder.compareTo(lastOrder) >= 0) {
          second = last;
          secondOrder = lastOrder;
          last = child;
          lastOrder = childOrder;
        } else if (childOrder.compareTo(secondOrder) >= 0) {
          second = child;
          secondOrder = childOrder;
        }
      }
    }
    boolean only = before == 1 && last != null && kind.isNextAfter(last);
    return found ? new QueuePlace(last, second, only, twins) : null;
  }
}
