package io.memorygateway.turn;

import io.memorygateway.turn.LongTalk.Endpoint;
import io.memorygateway.turn.LongTalk.Marks;
import io.memorygateway.turn.LongThread.Memory;
import java.util.List;

/**
 * What the input of a thread's calls costs by providers' rules of prompt caches: all that was said,
 * and what memory sends of it without and with recall. Prints one row of a table for each. Started
 * by {@code ops/bench/prompt-cache}, which says what it takes.
 */
public final class PromptCacheBench {
  private static final double THOUSAND = 1000;

  private PromptCacheBench() {}

  public static void main(String[] args) {
    int turns = Integer.parseInt(args[0]);
    List<Marks> marks = args.length > 1 ? List.of(Marks.valueOf(args[1])) : List.of(Marks.values());
    System.out.println("| calls | marks | memory | price | fresh | read | written | read | kept |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (Endpoint endpoint : Endpoint.values()) {
      for (Marks mark : endpoint == Endpoint.MESSAGES ? marks : List.of(Marks.NOTHING)) {
        for (Memory memory : Memory.values()) {
          LongThread thread = new LongThread(memory, endpoint, mark, LongThread.shipped(), 1);
          print(endpoint, mark, memory, thread.run(turns));
        }
      }
    }
  }

  private static void print(Endpoint endpoint, Marks marks, Memory memory, LongThread.Cost cost) {
    System.out.printf(
        "| %s | %s | %s | %.0fk | %.0fk | %.0fk | %.0fk | %.1f %% | %.1f %% |%n",
        endpoint,
        marks,
        memory,
        cost.usage().price() / THOUSAND,
        cost.usage().fresh() / THOUSAND,
        cost.usage().read() / THOUSAND,
        cost.usage().written() / THOUSAND,
        100 * cost.usage().readShare(),
        100 * cost.kept());
  }
}
