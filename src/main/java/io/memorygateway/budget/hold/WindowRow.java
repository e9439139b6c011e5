package io.memorygateway.budget.hold;

import io.memorygateway.budget.BudgetSpan.Window;

/** A window of a budget as a transaction sees and changes it, in the budget's unit. */
final class WindowRow {
  long owner;
  long settled;
  long held;
  long reserved;
  long limit;
  long newLimit;
  long newHeld;
  long newReserved;

  long left(long most) {
    return most - settled - held - newHeld - reserved - newReserved;
  }

  HoldItem.Standing standing(HoldItem.Need need, Window window) {
    return new HoldItem.Standing(need, window, settled, held + newHeld, reserved + newReserved);
  }

  /** As much of an amount as can be counted, where no limit bounds it. */
  long countable(long amount) {
    return Math.min(amount, Math.max(0, left(Long.MAX_VALUE)));
  }

  boolean isChanged() {
    return newHeld != 0 || newReserved != 0 || newLimit != limit;
  }
}
