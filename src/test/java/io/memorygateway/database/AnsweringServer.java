package io.memorygateway.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server that is nothing but its answers to statements, each of one row, or none. */
final class AnsweringServer {
  /** Answers a statement. */
  interface Answers {
    /** Returns the only row, a value or a list of them; null if there is no row. */
    @Nullable Object to(String sql) throws SQLException;
  }

  /** What it was told: statements, and what was called on connections. */
  final List<String> told = new ArrayList<>();

  private final Answers answers;

  AnsweringServer(Answers answers) {
    this.answers = answers;
  }

  Connection connect() {
    return proxy(
        Connection.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "createStatement" -> statement("");
              case "prepareStatement" -> statement((String) arguments[0]);
              case "getCatalog" -> "gateway";
              default -> {
                told.add(method.getName());
                yield null;
              }
            });
  }

  private PreparedStatement statement(String prepared) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          String name = method.getName();
          if (!name.startsWith("execute")) {
            return null;
          }
          String sql = arguments == null ? prepared : (String) arguments[0];
          told.add(sql);
          Object value = answers.to(sql);
          return switch (name) {
            case "executeQuery" -> rows(value);
            case "executeUpdate" -> 1;
            default -> false;
          };
        });
  }

  private static ResultSet rows(@Nullable Object value) {
    boolean[] read = {value == null};
    return proxy(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "next" -> {
                boolean next = !read[0];
                read[0] = true;
                yield next;
              }
              case "getInt" -> Integer.valueOf(String.valueOf(value));
              case "getString" ->
                  String.valueOf(
                      value instanceof List<?> row ? row.get((int) arguments[0] - 1) : value);
              default -> null;
            });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            AnsweringServer.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
