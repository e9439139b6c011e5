package io.memorygateway.budget;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whose calls a budget covers together. */
public enum BudgetOwner {
  KEY,
  PROJECT;

  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException with a message for the operator
   */
  @JsonCreator
  static BudgetOwner of(String name) {
    for (BudgetOwner owner : values()) {
      if (owner.wireName().equals(name)) {
        return owner;
      }
    }
    throw new IllegalArgumentException("appliesTo must be key or project");
  }

  @JsonValue
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
