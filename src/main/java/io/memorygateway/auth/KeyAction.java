package io.memorygateway.auth;

import com.google.common.collect.ImmutableList;
import io.dropwizard.util.Duration;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What can be done with keys, in the same words on the command line and as an admin task (contract
 * §9).
 *
 * <p>Each action names the words that it takes, and turns them into a {@link KeyView} or a list of
 * them.
 */
public enum KeyAction {
  ISSUE(
      "Make a key; its secret is shown once.",
      ImmutableList.of("project", "name"),
      ImmutableList.of("expiresIn")) {
    @Override
    Object run(ApiKeys keys, Words words) {
      return KeyView.of(
          keys.issue(
              words.required("project"), words.required("name"), words.duration("expiresIn")));
    }
  },
  LIST("Show the keys, without secrets.", ImmutableList.of(), ImmutableList.of("project")) {
    @Override
    Object run(ApiKeys keys, Words words) {
      return keys.list(words.optional("project")).stream().map(KeyView::of).toList();
    }
  },
  ROTATE(
      "Give a key a new secret; the old one stops working.",
      ImmutableList.of("id"),
      ImmutableList.of()) {
    @Override
    Object run(ApiKeys keys, Words words) {
      return KeyView.of(keys.rotate(words.required("id")));
    }
  },
  REVOKE("Make a key worthless.", ImmutableList.of("id"), ImmutableList.of()) {
    @Override
    Object run(ApiKeys keys, Words words) {
      return KeyView.of(keys.revoke(words.required("id")));
    }
  },
  LIMITS(
      "Give a key a limit of its own for one rule; without --limit, the configured one again.",
      ImmutableList.of("id", "rule"),
      ImmutableList.of("limit")) {
    @Override
    Object run(ApiKeys keys, Words words) {
      return KeyView.of(
          keys.limit(words.required("id"), words.rule("rule"), words.positive("limit")));
    }
  };

  private final String help;
  private final ImmutableList<String> required;
  private final ImmutableList<String> optional;

  KeyAction(String help, ImmutableList<String> required, ImmutableList<String> optional) {
    this.help = help;
    this.required = required;
    this.optional = optional;
  }

  abstract Object run(ApiKeys keys, Words words);

  /** Does it; throws {@link ApiException} if the words are not the action's. */
  public Object run(ApiKeys keys, Map<String, String> words, Set<String> rules) {
    for (String word : words.keySet()) {
      if (!required.contains(word) && !optional.contains(word)) {
        throw new ApiException(
            ApiError.invalidRequest(
                "Unknown parameter; " + word() + " takes " + String.join(", ", allWords()) + "."));
      }
    }
    return run(keys, new Words(words, rules));
  }

  /** Such as {@code issue}. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  String help() {
    return help;
  }

  List<String> required() {
    return required;
  }

  List<String> allWords() {
    return java.util.stream.Stream.concat(required.stream(), optional.stream()).toList();
  }

  /** The words of one call, read with errors that say which word is wrong. */
  record Words(Map<String, String> words, Set<String> rules) {
    /** A century: later, and the database has no date for it. */
    private static final long MOST_DAYS = 36_525;

    String required(String word) {
      String value = optional(word);
      if (value == null) {
        throw new ApiException(ApiError.invalidRequest(word + " is required."));
      }
      return value;
    }

    @Nullable String optional(String word) {
      String value = words.get(word);
      return value == null || value.isBlank() ? null : value;
    }

    java.time.@Nullable Duration duration(String word) {
      String value = optional(word);
      if (value == null) {
        return null;
      }
      try {
        Duration duration = Duration.parse(value);
        if (duration.toMilliseconds() > 0 && duration.toDays() <= MOST_DAYS) {
          return duration.toJavaDuration();
        }
      } catch (IllegalArgumentException e) {
        // Said below.
      }
      throw new ApiException(
          ApiError.invalidRequest(
              word + " must be a duration such as 90d or 12h, and no more than a century."));
    }

    @Nullable Long positive(String word) {
      String value = optional(word);
      if (value == null) {
        return null;
      }
      try {
        long number = Long.parseLong(value);
        if (number > 0 && number <= Integer.MAX_VALUE) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new ApiException(ApiError.invalidRequest(word + " must be a positive whole number."));
    }

    String rule(String word) {
      String value = required(word);
      if (!rules.contains(value)) {
        throw new ApiException(
            ApiError.invalidRequest(
                word
                    + " must be one of "
                    + String.join(", ", new java.util.TreeSet<>(rules))
                    + "."));
      }
      return value;
    }
  }
}
