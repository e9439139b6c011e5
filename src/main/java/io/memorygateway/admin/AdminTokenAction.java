package io.memorygateway.admin;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.audit.Act;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.Word;
import io.memorygateway.operator.Words;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What can be done with admin tokens. */
public enum AdminTokenAction {
  ISSUE("Make a token for the admin port; its secret is shown once.") {
    @Override
    List<Word> words() {
      return List.of(
          Word.required("name", "whose it is, or what for; stands in the audit log"),
          Word.required("role", "viewer, operator or owner"),
          Word.optional("expiresIn", "such as 30d, at most 366d; 90d if left out"));
    }

    @Override
    Object run(AdminTokens tokens, Words words, Act act) {
      words.oneOf("role", Arrays.stream(Role.values()).map(Role::word).toList());
      return tokens.issue(
          words.required("name"),
          Role.of(words.required("role")),
          requireNonNullElse(words.duration("expiresIn"), AdminTokens.USUAL_VALIDITY),
          act);
    }
  },
  LIST("Show the admin tokens, without secrets.") {
    @Override
    List<Word> words() {
      return List.of();
    }

    @Override
    Object run(AdminTokens tokens, Words words, Act act) {
      return tokens.list();
    }
  },
  REVOKE("Make an admin token worthless.") {
    @Override
    List<Word> words() {
      return List.of(Word.required("id", "of the token"));
    }

    @Override
    Object run(AdminTokens tokens, Words words, Act act) {
      return tokens.revoke(words.required("id"), act);
    }
  };

  private final String help;

  AdminTokenAction(String help) {
    this.help = help;
  }

  abstract List<Word> words();

  /** Does it; the answer is an {@link AdminTokenView} or a list of them. */
  abstract Object run(AdminTokens tokens, Words words, Act act);

  /** Of the task {@code admin-token-issue} and its like. */
  public TaskUsage usage() {
    return new TaskUsage("admin-token-" + name().toLowerCase(Locale.ROOT), help, words(), true);
  }
}
