package io.memorygateway.embedding;

import io.memorygateway.database.Transactions;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the numbers under which vectors of a model are stored. A model that answers with another
 * number of dimensions than before counts as another one.
 */
final class EmbeddingModels {
  private final Transactions transactions;
  private final String name;
  private final ConcurrentMap<Integer, Integer> known = new ConcurrentHashMap<>();

  /** Dimensions of the last answer to a query of this node; 0 before the first one. */
  private volatile int ofQueries;

  EmbeddingModels(Transactions transactions, String name) {
    this.transactions = transactions;
    this.name = name;
  }

  /** The number of the model with these dimensions; null as long as nothing was embedded. */
  @Nullable Integer find(int dimensions) {
    Integer cached = known.get(dimensions);
    if (cached != null) {
      return cached;
    }
    Optional<Integer> found =
        transactions.read(handle -> handle.attach(VectorDao.class).model(name, dimensions));
    found.ifPresent(id -> known.put(dimensions, id));
    return found.orElse(null);
  }

  /** The same for the vector of a query. */
  @Nullable Integer findForQuery(int dimensions) {
    ofQueries = dimensions;
    return find(dimensions);
  }

  /** Whether queries have got vectors of another number of dimensions since the model was asked. */
  boolean hasOthers(int dimensions) {
    return ofQueries != 0 && ofQueries != dimensions;
  }

  /** Takes what the model answered when it was asked for its dimensions. */
  void asked(int dimensions) {
    ofQueries = dimensions;
  }

  /** The number of the model with these dimensions, assigned if it has none. */
  int findOrAdd(int dimensions) {
    Integer found = find(dimensions);
    if (found == null) {
      transactions.<Void>write(
          handle -> {
            handle.attach(VectorDao.class).addModel(name, dimensions);
            return null;
          });
      found = find(dimensions);
    }
    return Objects.requireNonNull(found);
  }
}
