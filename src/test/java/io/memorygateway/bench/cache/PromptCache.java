package io.memorygateway.bench.cache;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A provider's prompt cache by its documented rules, in which nothing expires: calls follow each
 * other in time.
 */
public interface PromptCache {
  /** Tokens; a shorter prefix is not cached. */
  long LEAST = 1024;

  /**
   * What one request finds in the cache; it leaves there what the next one may find.
   *
   * @param automatic the request's own mark, of whatever comes last; missing if it has none
   */
  CacheUsage send(List<PromptBlock> prompt, JsonNode automatic);

  /** OpenAI's: prefixes are cached by themselves, in steps of 128 tokens. */
  static PromptCache automatic() {
    return new Automatic();
  }

  /**
   * Anthropic's: a prefix is cached where a block is marked, at most four, and found where a block
   * is marked, or up to 19 blocks before it.
   */
  static PromptCache marked() {
    return new Marked();
  }

  /** A cache of prefixes; those of the last prompts are the longest that a prompt can have. */
  final class Automatic implements PromptCache {
    private static final long STEP = 128;
    private static final int PROMPTS = 8;

    private final List<List<PromptBlock>> prompts = new ArrayList<>();

    @Override
    public CacheUsage send(List<PromptBlock> prompt, JsonNode automatic) {
      long longest =
          prompts.stream().mapToLong(before -> PromptBlock.shared(before, prompt)).max().orElse(0);
      long read = longest < LEAST ? 0 : longest / STEP * STEP;
      prompts.add(prompt);
      if (prompts.size() > PROMPTS) {
        prompts.remove(0);
      }
      return new CacheUsage(PromptBlock.tokens(prompt) - read, read, 0);
    }
  }

  /** A cache of the prefixes that end at marks. */
  final class Marked implements PromptCache {
    private static final int MAX_MARKS = 4;
    private static final int LOOK_BACK = 20;
    private static final Set<String> UNMARKABLE = Set.of("thinking", "redacted_thinking");

    private final Prefix empty = new Prefix();

    @Override
    public CacheUsage send(List<PromptBlock> prompt, JsonNode automatic) {
      List<Integer> marks = marks(prompt, automatic);
      List<Prefix> prefixes = new ArrayList<>();
      List<Long> lengths = new ArrayList<>();
      Prefix prefix = empty;
      long length = 0;
      for (PromptBlock block : prompt) {
        prefix = prefix.longer.computeIfAbsent(block.text(), text -> new Prefix());
        length += block.tokens();
        prefixes.add(prefix);
        lengths.add(length);
      }
      long read = 0;
      long marked = 0;
      for (int mark : marks) {
        marked = Math.max(marked, lengths.get(mark) < LEAST ? 0 : lengths.get(mark));
        for (int at = mark; at >= 0 && at > mark - LOOK_BACK; at--) {
          if (prefixes.get(at).cached) {
            read = Math.max(read, lengths.get(at));
          }
        }
      }
      marks.stream()
          .filter(at -> lengths.get(at) >= LEAST)
          .forEach(at -> prefixes.get(at).cached = true);
      return new CacheUsage(length - Math.max(marked, read), read, Math.max(0, marked - read));
    }

    /** A beginning of prompts, with those that are a block longer. */
    private static final class Prefix {
      private final Map<String, Prefix> longer = new HashMap<>();
      private boolean cached;
    }

    /** The marked blocks. A request that Anthropic refuses for its marks is an error. */
    private static List<Integer> marks(List<PromptBlock> prompt, JsonNode automatic) {
      List<Integer> marks = new ArrayList<>();
      boolean shorter = false;
      for (int at = 0; at < prompt.size(); at++) {
        PromptBlock block = prompt.get(at);
        if (block.mark().isObject()) {
          require(!UNMARKABLE.contains(block.type()), "a thought is marked");
          require(!block.text().endsWith(" \n"), "an empty text is marked");
          boolean hour = block.mark().path("ttl").asText().equals("1h");
          require(!hour || !shorter, "an hour is behind five minutes");
          shorter |= !hour;
          marks.add(at);
        }
      }
      if (automatic.isObject()) {
        int last = prompt.size() - 1;
        while (UNMARKABLE.contains(prompt.get(last).type())) {
          last--;
        }
        require(
            !automatic.path("ttl").asText().equals("1h") || !shorter,
            "an hour is behind five minutes");
        require(marks.size() < MAX_MARKS, "too many marks");
        if (!marks.contains(last)) {
          marks.add(last);
        }
      }
      require(marks.size() <= MAX_MARKS, "too many marks");
      return marks;
    }

    private static void require(boolean fulfilled, String what) {
      if (!fulfilled) {
        throw new IllegalArgumentException(what);
      }
    }
  }
}
