package io.memorygateway.embedding;

import io.memorygateway.database.Transactions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Assigns the numbers under which vectors of a model are stored. A model that answers with another
 * number of dimensions than before counts as another one.
 */
final class EmbeddingModels {
  private final Transactions transactions;
  private final String name;
  private final ConcurrentMap<Integer, Integer> known = new ConcurrentHashMap<>();

  EmbeddingModels(Transactions transactions, String name) {
    this.transactions = transactions;
    this.name = name;
  }

  /** The number of the model with these dimensions; empty as long as nothing was embedded. */
  OptionalInt find(int dimensions) {
    Integer cached = known.get(dimensions);
    if (cached != null) {
      return OptionalInt.of(cached);
    }
    Optional<Integer> found =
        transactions.read(handle -> handle.attach(VectorDao.class).model(name, dimensions));
    found.ifPresent(id -> known.put(dimensions, id));
    return found.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  /** The number of the model with these dimensions, assigned if it has none. */
  int findOrAdd(int dimensions) {
    OptionalInt found = find(dimensions);
    if (found.isPresent()) {
      return found.getAsInt();
    }
    transactions.<Void>write(
        handle -> {
          handle.attach(VectorDao.class).addModel(name, dimensions);
          return null;
        });
    return find(dimensions).orElseThrow();
  }
}
