package io.memorygateway.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * What a team would write by hand for its agents' memory: it reads the last messages of a thread,
 * asks the model, and stores question and answer in one transaction. Without keys, limits,
 * alignment with what the agent sends, replays, streams or a request log.
 */
final class HandWrittenTurns extends Handler.Abstract {
  private static final int LAST = 20;
  private static final int CONNECTIONS = 32;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI upstream;
  private final DataSource database;

  private HandWrittenTurns(URI upstream, DataSource database) {
    this.upstream = upstream;
    this.database = database;
  }

  /** {@code PORT UPSTREAM JDBC_URL USER PASSWORD}: serves turns until killed. */
  public static void main(String[] arguments) throws Exception {
    PoolProperties pool = new PoolProperties();
    pool.setUrl(arguments[2]);
    pool.setUsername(arguments[3]);
    pool.setPassword(arguments[4]);
    pool.setInitialSize(CONNECTIONS);
    pool.setMaxActive(CONNECTIONS);
    pool.setMaxIdle(CONNECTIONS);
    DataSource database = new DataSource(pool);
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS hand_written (id BIGINT AUTO_INCREMENT PRIMARY KEY,"
              + " thread VARCHAR(64) NOT NULL, role VARCHAR(16) NOT NULL, content TEXT NOT NULL,"
              + " KEY (thread, id))");
    }
    Server server = new Server(new QueuedThreadPool());
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    server.addConnector(connector);
    server.setHandler(
        new HandWrittenTurns(URI.create(arguments[1] + "/chat/completions"), database));
    server.start();
    server.join();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    ObjectNode call = (ObjectNode) JSON.readTree(Content.Source.asInputStream(request));
    String thread = request.getHeaders().get("x-thread-id");
    JsonNode question = call.path("messages").get(0);
    ArrayNode messages = last(thread);
    messages.add(question);
    call.set("messages", messages);
    byte[] answer =
        http.send(
                HttpRequest.newBuilder(upstream)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(call)))
                    .build(),
                HttpResponse.BodyHandlers.ofByteArray())
            .body();
    JsonNode reply = JSON.readTree(answer).path("choices").path(0).path("message");
    store(thread, question.path("content").asText(), reply.path("content").asText());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.length);
    response.write(true, ByteBuffer.wrap(answer), callback);
    return true;
  }

  private ArrayNode last(String thread) throws SQLException {
    ArrayNode messages = JSON.createArrayNode();
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT role, content FROM hand_written WHERE thread = ? ORDER BY id DESC LIMIT "
                    + LAST)) {
      select.setString(1, thread);
      ResultSet rows = select.executeQuery();
      while (rows.next()) {
        messages
            .insertObject(0)
            .put("role", rows.getString("role"))
            .put("content", rows.getString("content"));
      }
    }
    return messages;
  }

  private void store(String thread, String question, String answer) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO hand_written (thread, role, content) VALUES (?, 'user', ?),"
                    + " (?, 'assistant', ?)")) {
      insert.setString(1, thread);
      insert.setString(2, question);
      insert.setString(3, thread);
      insert.setString(4, answer);
      insert.executeUpdate();
    }
  }
}
