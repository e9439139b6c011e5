package io.memorygateway.database;

import com.google.common.base.Throwables;
import com.mysql.cj.conf.ConnectionUrl;
import com.mysql.cj.conf.HostInfo;
import com.mysql.cj.conf.PropertyDefinition;
import com.mysql.cj.conf.PropertyDefinitions;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.exceptions.InvalidConnectionAttributeException;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.util.Duration;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Completes and checks the {@code database:} block of config.yml. */
public final class Database {
  private static final String SCHEME = "jdbc:mysql:";

  private static final int MAX_PORT = 65_535;

  private static final String WRONG_PORT =
      "database.url: the port must be a number from 1 to " + MAX_PORT;

  private static final Pattern SCHEMA = Pattern.compile("//[^/?]*/[^/?]");

  /** Driver properties that correctness depends on; they override the operator's address. */
  private static final Map<String, String> ALWAYS =
      Map.of(
          "connectionTimeZone", "UTC",
          "forceConnectionTimeZoneToSession", "true",
          "useAffectedRows", "true",
          "characterEncoding", "UTF-8");

  /**
   * Longest time for which a connection is lent without being tried: the server closes one that is
   * idle for {@link SessionLimits#IDLE_SECONDS}.
   */
  private static final Duration MAX_VALIDATION_INTERVAL =
      Duration.seconds(SessionLimits.IDLE_SECONDS / 3);

  private Database() {}

  /**
   * Completes the pool's settings.
   *
   * @throws IllegalArgumentException with a line for the operator, if the address is not that of a
   *     MySQL
   */
  public static DataSourceFactory complete(DataSourceFactory database) {
    String url = database.getUrl();
    if (url == null || url.isBlank()) {
      throw new IllegalArgumentException(
          "database.url: is missing; set DATABASE_URL to the address of a MySQL, such as"
              + " jdbc:mysql://127.0.0.1:3306/gateway");
    }
    if (!url.startsWith(SCHEME) || !hasHost(url)) {
      throw new IllegalArgumentException(
          "database.url: is not the address of a MySQL; it has the form jdbc:mysql://HOST:PORT/SCHEMA, or"
              + " several hosts with commas between them");
    }
    if (!SCHEMA.matcher(url).find()) {
      throw new IllegalArgumentException(
          "database.url: names no schema; it has the form jdbc:mysql://HOST:PORT/SCHEMA");
    }
    if (!isThere(database.getDriverClass())) {
      throw new IllegalArgumentException(
          "database.driverClass: there is no such class; it is com.mysql.cj.jdbc.Driver");
    }
    if (Boolean.TRUE.equals(database.getReadOnlyByDefault())
        || Boolean.FALSE.equals(database.getAutoCommitByDefault())) {
      throw new IllegalArgumentException(
          "database: leave out readOnlyByDefault and autoCommitByDefault: the gateway writes, and"
              + " what it stored without a transaction would be lost");
    }
    if (database.getMaxSize() < 1 || database.getMinSize() < 0 || database.getInitialSize() < 0) {
      throw new IllegalArgumentException(
          "database: maxSize must be at least 1, and minSize and initialSize at least 0");
    }
    Map<String, String> properties = new HashMap<>(database.getProperties());
    properties.putAll(ALWAYS);
    if (!url.contains("socketFactory=")) {
      properties.putIfAbsent("socketFactory", GuardedSocketFactory.class.getName());
    }
    database.setProperties(properties);
    new DatabaseHosts(url).urls().forEach(each -> requireReadable(each, properties));
    database.setCheckConnectionOnBorrow(true);
    if (!isTriedInTime(database)) {
      database.setValidationInterval(MAX_VALIDATION_INTERVAL);
    }
    return database;
  }

  /**
   * Checks what the driver would refuse with the name of a class.
   *
   * @param url of one host
   */
  private static void requireReadable(String url, Map<String, String> properties) {
    Properties given = new Properties();
    given.putAll(properties);
    HostInfo host;
    try {
      host = ConnectionUrl.getConnectionUrlInstance(url, given).getMainHost();
    } catch (InvalidConnectionAttributeException e) {
      throw new IllegalArgumentException("database.url: " + e.getMessage(), e);
    } catch (CJException e) {
      throw new IllegalArgumentException(
          Throwables.getRootCause(e) instanceof NumberFormatException
              ? WRONG_PORT
              : "database.url: its parameters cannot be read; they have the form"
                  + " ?NAME=VALUE&NAME=VALUE",
          e);
    }
    int port = host.getPort();
    if (port != HostInfo.NO_PORT && (port < 1 || port > MAX_PORT)) {
      throw new IllegalArgumentException(WRONG_PORT);
    }
    Properties all = host.exposeAsProperties();
    for (String name : new TreeSet<>(all.stringPropertyNames())) {
      PropertyKey key = PropertyKey.fromValue(name);
      PropertyDefinition<?> known =
          key == null ? null : PropertyDefinitions.getPropertyDefinition(key);
      if (known != null && !takes(known, all.getProperty(name))) {
        throw new IllegalArgumentException(
            "%s %s must be %s"
                .formatted(
                    properties.containsKey(name) ? "database.properties:" : "database.url:",
                    name,
                    words(known)));
      }
    }
  }

  /** What a parameter of the driver takes. */
  private static String words(PropertyDefinition<?> parameter) {
    if (parameter.isRangeBased()) {
      return "a whole number from %d to %d"
          .formatted(parameter.getLowerBound(), parameter.getUpperBound());
    }
    String[] values = parameter.getAllowableValues();
    return values == null ? "a whole number" : "one of " + String.join(", ", values);
  }

  private static boolean takes(PropertyDefinition<?> parameter, String value) {
    try {
      Object parsed = parameter.parseObject(value, null);
      // The driver looks at the bounds only when it connects.
      return !parameter.isRangeBased()
          || !(parsed instanceof Number number)
          || (parameter.getLowerBound() <= number.longValue()
              && number.longValue() <= parameter.getUpperBound());
    } catch (CJException e) {
      return false;
    }
  }

  /** Lines for the operator on settings that {@link #complete} replaces. */
  public static List<String> replaced(DataSourceFactory given) {
    return isTriedInTime(given)
        ? List.of()
        : List.of(
            "database.validationInterval: "
                + given.getValidationInterval()
                + " counts as "
                + MAX_VALIDATION_INTERVAL
                + ": the server closes connections that are idle for "
                + SessionLimits.IDLE_SECONDS
                + " seconds");
  }

  private static boolean isTriedInTime(DataSourceFactory database) {
    return database.getValidationInterval().compareTo(MAX_VALIDATION_INTERVAL) <= 0;
  }

  /**
   * Completes the pool's settings, and checks that the database can be reached: the pool itself
   * would log a failure at length.
   *
   * @throws IllegalArgumentException with a line for the operator, if it cannot
   */
  public static DataSourceFactory reachable(DataSourceFactory database) {
    DataSourceFactory factory = complete(database);
    try {
      connect(factory).close();
    } catch (SQLException e) {
      throw unreachable(e);
    }
    return factory;
  }

  /**
   * Completes the settings for migrations: without a timeout, as changing a large table may be
   * silent for long.
   */
  public static DataSourceFactory forMigrations(DataSourceFactory database) {
    DataSourceFactory factory = complete(database);
    DatabaseHosts hosts = new DatabaseHosts(factory.getUrl());
    try (Connection connection = hosts.connect(driverProperties(factory))) {
      ServerProbes.requireWithoutShards(connection);
      ServerProbes.requireSameSchema(connection);
    } catch (SQLException e) {
      throw unreachable(e);
    }
    // The driver would take the first host that answers, which may be read-only.
    factory.setUrl(hosts.currentUrl());
    factory.getProperties().put("socketTimeout", "0");
    return factory;
  }

  static IllegalArgumentException unreachable(SQLException failure) {
    return new IllegalArgumentException(
        "database.url: the database cannot be reached: " + reason(failure), failure);
  }

  /** Opens a connection outside any pool. */
  static Connection connect(DataSourceFactory database) throws SQLException {
    return new DatabaseHosts(database.getUrl()).connect(driverProperties(database));
  }

  /** Properties that the driver gets besides the URL. */
  static Properties driverProperties(DataSourceFactory database) {
    Properties properties = new Properties();
    properties.putAll(database.getProperties());
    if (database.getUser() != null) {
      properties.setProperty("user", database.getUser());
    }
    if (database.getPassword() != null) {
      properties.setProperty("password", database.getPassword());
    }
    return properties;
  }

  /**
   * Returns the driver's reason for a failure, in one line and without the address, which may hold
   * a password.
   */
  static String reason(Exception failure) {
    Throwable cause = Throwables.getRootCause(failure);
    String message =
        cause instanceof ClassNotFoundException
            ? "a parameter names the class %s, which is not there".formatted(cause.getMessage())
            : cause instanceof UnknownHostException
                ? "there is no host of this name: " + cause.getMessage()
                : cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : message.lines().findFirst().orElse("").strip();
  }

  private static boolean isThere(@Nullable String driverClass) {
    try {
      return driverClass == null
          || Driver.class.isAssignableFrom(
              Class.forName(driverClass, false, Database.class.getClassLoader()));
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static boolean hasHost(String url) {
    try {
      URI uri = new URI(url.substring("jdbc:".length()));
      return uri.getRawAuthority() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
