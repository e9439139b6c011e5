package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.search.IndexStatements.Message;
import io.memorygateway.search.IndexStatements.Range;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that turns of this node have just added to threads, so that the next turn's recall
 * need not read them: most threads are written between two recalls by their own turns alone.
 */
final class AppendedMessages {
  private static final long MAX_BYTES = 8 << 20;
  private static final long MAX_BYTES_OF_THREAD = 64 << 10;
  private static final Duration KEPT = Duration.ofMinutes(5);
  private static final int OVERHEAD = 200;

  private final Cache<Long, List<Message>> kept =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MAX_BYTES)
          .weigher((Long thread, List<Message> messages) -> (int) bytes(messages))
          .build();

  private static long bytes(List<Message> messages) {
    return messages.stream().mapToLong(message -> OVERHEAD + message.bytes()).sum();
  }

  /** Adds messages of a thread, in their order; large ones are not kept, nor those before them. */
  void add(long thread, List<MessageRow> rows) {
    if (rows.stream().mapToLong(row -> row.content().length()).sum() > MAX_BYTES_OF_THREAD) {
      kept.invalidate(thread);
      return;
    }
    List<Message> added =
        rows.stream()
            .map(
                row ->
                    new Message(
                        thread,
                        row.seq(),
                        row.role(),
                        row.createdAt(),
                        row.content().getBytes(StandardCharsets.UTF_8).length,
                        row.content()))
            .toList();
    kept.asMap()
        .compute(
            thread,
            (id, before) -> {
              List<Message> all =
                  Stream.concat(before == null ? Stream.empty() : before.stream(), added.stream())
                      .toList();
              return bytes(all) <= MAX_BYTES_OF_THREAD
                  ? all
                  : bytes(added) <= MAX_BYTES_OF_THREAD ? added : null;
            });
  }

  /** The messages of a range; null if some of them are not known. Older ones are forgotten. */
  @Nullable List<Message> take(Range range) {
    List<Message> all = kept.getIfPresent(range.thread());
    if (all == null) {
      return null;
    }
    List<Message> found =
        all.stream()
            .filter(message -> message.seq() >= range.from() && message.seq() < range.to())
            .toList();
    kept.asMap()
        .computeIfPresent(
            range.thread(),
            (id, now) -> {
              List<Message> rest = now.stream().filter(each -> each.seq() >= range.to()).toList();
              return rest.isEmpty() ? null : rest;
            });
    boolean isWhole =
        LongStream.range(range.from(), Math.min(range.to(), range.from() + found.size() + 1))
            .boxed()
            .toList()
            .equals(found.stream().map(Message::seq).toList());
    return isWhole ? found : null;
  }
}
