package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.Word;
import io.memorygateway.operator.Words;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What can be done with keys (contract §9). */
public enum KeyAction {
  ISSUE("Make a key; its secret is shown once.") {
    @Override
    List<Word> words() {
      return List.of(
          Word.required("project", "name of the project, made with its first key"),
          Word.required("name", "to tell the key by"),
          Word.optional("expiresIn", "such as 90d; never if left out"));
    }

    @Override
    Object run(ApiKeys keys, Words words, Set<String> rules, Act act) {
      return KeyView.of(
          keys.issue(
              words.required("project"), words.required("name"), words.duration("expiresIn"), act));
    }
  },
  LIST("Show the keys, without secrets.") {
    @Override
    List<Word> words() {
      return List.of(Word.optional("project", "only keys of this project"));
    }

    @Override
    Object run(ApiKeys keys, Words words, Set<String> rules, Act act) {
      return list(keys, words);
    }
  },
  ROTATE("Give a key a new secret; the old one stops working.") {
    @Override
    List<Word> words() {
      return List.of(Word.required("id", "of the key"));
    }

    @Override
    Object run(ApiKeys keys, Words words, Set<String> rules, Act act) {
      return KeyView.of(keys.rotate(words.required("id"), act));
    }
  },
  REVOKE("Make a key worthless.") {
    @Override
    List<Word> words() {
      return List.of(Word.required("id", "of the key"));
    }

    @Override
    Object run(ApiKeys keys, Words words, Set<String> rules, Act act) {
      return KeyView.of(keys.revoke(words.required("id"), act));
    }
  },
  LIMITS("Give a key a limit of its own for one rule; without --limit, the configured one again.") {
    @Override
    List<Word> words() {
      return List.of(
          Word.required("id", "of the key"),
          Word.required("rule", "name of a rate limit in the configuration"),
          Word.optional("limit", "requests in a window"));
    }

    @Override
    Object run(ApiKeys keys, Words words, Set<String> rules, Act act) {
      String rule = words.required("rule");
      words.oneOf("rule", List.copyOf(new TreeSet<>(rules)));
      return KeyView.of(keys.limit(words.required("id"), rule, words.positive("limit"), act));
    }
  };

  private final String help;

  KeyAction(String help) {
    this.help = help;
  }

  abstract List<Word> words();

  /** Does it; the answer is a {@link KeyView} or a list of them. */
  abstract Object run(ApiKeys keys, Words words, Set<String> rules, Act act);

  /** The keys, as {@link #LIST} shows them. */
  static List<KeyView> list(ApiKeys keys, Words words) {
    return keys.list(words.optional("project")).stream().map(KeyView::of).toList();
  }

  /** The role that somebody needs who asks for it. */
  Role role() {
    return switch (this) {
      case LIST -> Role.VIEWER;
      case LIMITS -> Role.OPERATOR;
      case ISSUE, ROTATE, REVOKE -> Role.OWNER;
    };
  }

  /** Of the task {@code key-issue} and its like. */
  public TaskUsage usage() {
    return new TaskUsage("key-" + name().toLowerCase(Locale.ROOT), help, words(), true);
  }
}
