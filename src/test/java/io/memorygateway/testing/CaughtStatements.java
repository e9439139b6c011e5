package io.memorygateway.testing;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import io.memorygateway.database.Home;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The statements that the gateways of a test send, each with its values, as the driver's property
 * {@code queryInterceptors} has it see them, by transactions.
 */
public final class CaughtStatements implements QueryInterceptor {
  private static final Pattern IDS = Pattern.compile("(?<![\\w.])\\d{15,19}(?!\\w)");
  private static final Pattern LOCKS =
      Pattern.compile("^(INSERT|UPDATE|DELETE|REPLACE)\\b|FOR UPDATE|LOCK IN SHARE MODE");
  private static final Pattern ENDS = Pattern.compile("^(COMMIT|ROLLBACK(?! TO)|BEGIN|START)");

  /** Of a home, ids that tests can come to. */
  private static final long GIVEN = 1 << 24;

  /** Longer statements are like shorter ones, of more rows. */
  private static final int LONG_STATEMENT = 8_000;

  /** Longer texts are rows of many messages, which are like those of few. */
  private static final int LONG_TEXT = 1 << 20;

  // The driver makes an interceptor for each connection, by its name, so what they find is static.
  private static volatile @Nullable List<Transaction> kept;

  private static final ShardedTables TABLES = ShardedTables.read();

  /** Statements without their values, each with what of it does not tell its home, if anything. */
  private static final Map<String, Optional<String>> KNOWN = new ConcurrentHashMap<>();

  /** A statement without its texts. */
  public record Caught(String sql, Set<Integer> homes, boolean locks) {}

  /** The statements of a transaction, or one without. */
  public record Transaction(List<Caught> statements) {
    /** The homes of which it writes or locks rows, but for home 0. */
    public Set<Integer> homes() {
      Set<Integer> homes = new TreeSet<>();
      statements.stream().filter(Caught::locks).forEach(caught -> homes.addAll(caught.homes));
      return homes;
    }
  }

  private Transaction open = new Transaction(new CopyOnWriteArrayList<>());
  private boolean commitsItself = true;

  /** Keeps the statements from now on. */
  public static List<Transaction> keep() {
    List<Transaction> transactions = new CopyOnWriteArrayList<>();
    kept = transactions;
    return transactions;
  }

  /** Keeps them no longer. */
  public static void end() {
    kept = null;
  }

  /**
   * Statements that do not name the home of their rows, though they should: those since the last
   * time that were not told before.
   */
  public static List<String> homeless() {
    List<String> homeless = KNOWN.values().stream().flatMap(Optional::stream).sorted().toList();
    KNOWN.replaceAll((sql, told) -> Optional.empty());
    return homeless;
  }

  @Override
  public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
    return this;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // the driver's interface
  public <T extends Resultset> T preProcess(Supplier<String> sql, Query query) {
    String text = sql == null ? null : sql.get();
    if (text != null && text.length() < LONG_TEXT) {
      for (String each : withoutTexts(text).split(";", -1)) {
        sent(each.strip());
      }
    }
    return null;
  }

  private static String withoutTexts(String sql) {
    StringBuilder left = new StringBuilder();
    boolean within = false;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '\'') {
        within = !within;
        left.append(c);
      } else if (within && c == '\\') {
        i++;
      } else if (!within) {
        left.append(c);
      }
    }
    return left.toString();
  }

  /** With 0 in the place of each number, and of each list of them. */
  private static String withoutNumbers(String sql) {
    StringBuilder left = new StringBuilder();
    for (int i = 0; i < sql.length(); i++) {
      if (!isDigit(sql.charAt(i)) || (i > 0 && Character.isJavaIdentifierPart(sql.charAt(i - 1)))) {
        left.append(sql.charAt(i));
        continue;
      }
      while (i + 1 < sql.length() && isDigit(sql.charAt(i + 1))) {
        i++;
      }
      int comma =
          left.length() - (left.length() > 0 && left.charAt(left.length() - 1) == ' ' ? 2 : 1);
      if (comma > 0 && left.charAt(comma) == ',' && left.charAt(comma - 1) == '0') {
        left.setLength(comma);
      } else {
        left.append('0');
      }
    }
    return left.toString();
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private void sent(String sql) {
    if (!sql.isEmpty() && sql.length() < LONG_STATEMENT) {
      KNOWN.computeIfAbsent(
          withoutNumbers(sql),
          text -> Optional.ofNullable(TABLES.violation(text)).map(told -> told + ": " + text));
    }
    if (kept == null || sql.isEmpty()) {
      return;
    }
    String upper = sql.toUpperCase(Locale.ROOT);
    if (upper.startsWith("SET AUTOCOMMIT=")) {
      commitsItself = upper.endsWith("1");
      ended();
    } else if (ENDS.matcher(upper).find()) {
      ended();
    } else {
      open.statements.add(new Caught(sql, homes(sql), LOCKS.matcher(upper).find()));
      if (commitsItself) {
        ended();
      }
    }
  }

  private void ended() {
    List<Transaction> transactions = kept;
    if (transactions != null && !open.statements.isEmpty()) {
      transactions.add(open);
      open = new Transaction(new CopyOnWriteArrayList<>());
    }
  }

  /** The homes whose ids or bounds it names, but for home 0. */
  private static Set<Integer> homes(String sql) {
    Set<Integer> homes = new TreeSet<>();
    IDS.matcher(sql)
        .results()
        .map(MatchResult::group)
        .filter(digits -> digits.length() < 19 || digits.compareTo("9223372036854775807") <= 0)
        .forEach(
            digits -> {
              long id = Long.parseLong(digits);
              Home home = Home.of(id);
              long within = id - home.first();
              boolean isGiven = within >= 1L << 46 && within < (1L << 46) + GIVEN;
              if (home.number() > 0 && (isGiven || within == 0 || id == home.last())) {
                homes.add(home.number());
              }
            });
    return homes;
  }

  @Override
  public boolean executeTopLevelOnly() {
    return false;
  }

  @Override
  public void destroy() {}

  @Override
  public <T extends Resultset> T postProcess(
      Supplier<String> sql, Query query, T result, ServerSession session) {
    return null;
  }
}
