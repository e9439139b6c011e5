package io.memorygateway.budget;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operators have said of the budgets of a key and of its project, by the names of the budgets:
 * the columns {@code api_keys.budgets} and {@code projects.budgets}.
 */
public record OwnBudgets(Map<String, BudgetTerms> ofKey, Map<String, BudgetTerms> ofProject) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  public static final OwnBudgets NONE = new OwnBudgets(Map.of(), Map.of());

  public OwnBudgets {
    ofKey = Map.copyOf(ofKey);
    ofProject = Map.copyOf(ofProject);
  }

  /** Reads the two columns. */
  public static OwnBudgets parse(@Nullable String ofKey, @Nullable String ofProject) {
    return ofKey == null && ofProject == null ? NONE : new OwnBudgets(read(ofKey), read(ofProject));
  }

  public boolean isEmpty() {
    return ofKey.isEmpty() && ofProject.isEmpty();
  }

  /** Whether anything of it holds for a time. */
  public boolean isForATime() {
    return Stream.concat(ofKey.values().stream(), ofProject.values().stream())
        .anyMatch(terms -> terms.increases() != null);
  }

  public Map<String, BudgetTerms> of(BudgetOwner owner) {
    return owner == BudgetOwner.KEY ? ofKey : ofProject;
  }

  public static Map<String, BudgetTerms> read(@Nullable String column) {
    if (column == null) {
      return Map.of();
    }
    try {
      return JSON.readValue(column, new TypeReference<Map<String, BudgetTerms>>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a column budgets holds something else than budgets", e);
    }
  }

  /** Writes a column; null if nothing is said. */
  public static @Nullable String write(Map<String, BudgetTerms> budgets) {
    try {
      return budgets.isEmpty() ? null : JSON.writeValueAsString(new TreeMap<>(budgets));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
