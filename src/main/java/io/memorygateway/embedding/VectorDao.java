package io.memorygateway.embedding;

import io.memorygateway.database.BindInHome;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.SqlText;
import io.memorygateway.json.Sha256;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.customizer.BindMethodsList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/**
 * Tables {@code embedding_models}, {@code embedding_threads} and {@code message_vectors}, and what
 * is read of threads and messages to fill them.
 */
interface VectorDao {
  int HASH_BYTES = 16;

  /** The hash of the column {@code resource_id} of {@code thread_heads h}, as {@link #hash}. */
  String HASH = "LEFT(UNHEX(SHA2(h.resource_id, 256)), " + HASH_BYTES + ")";

  String PENDING =
      "SELECT h.thread_id AS id, h.project_id AS project, "
          + HASH
          + """
           AS resource_hash, IF(s.model_id = :model, GREATEST(s.next_seq, h.base_seq), h.base_seq) AS `from`,
                 h.next_seq AS `to`, h.changed_version
          """;
  String STATE =
      "SELECT thread_id AS thread, resource_hash, next_seq, revision, model_id AS model\n";
  String OF_MODEL =
      "FROM embedding_threads WHERE project_id = :project AND thread_id BETWEEN :first AND :last AND model_id = :model ";
  String VECTORS = "SELECT thread_id AS thread, seq, vector FROM message_vectors WHERE ";

  /** The hash of a resource's id, under which its vectors are stored together. */
  static byte[] hash(String resourceId) {
    return Arrays.copyOf(Sha256.of(resourceId), HASH_BYTES);
  }

  @SqlQuery("SELECT id FROM embedding_models WHERE name = :name AND dimensions = :dimensions")
  Optional<Integer> model(String name, int dimensions);

  @SqlUpdate("INSERT IGNORE INTO embedding_models (name, dimensions) VALUES (:name, :dimensions)")
  void addModel(String name, int dimensions);

  @SqlQuery("SELECT id FROM projects WHERE id BETWEEN :first AND :last ORDER BY id LIMIT :limit")
  List<Long> projects(long first, long last, int limit);

  /**
   * A thread whose messages may lack vectors, in its state when it was read.
   *
   * @param id {@code threads.id}
   * @param project {@code projects.id}
   * @param resourceHash see {@link #hash}
   * @param from messages before this seq have been embedded
   * @param to seq behind the last message
   * @param changedVersion version of the last change of messages other than storing new ones
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record PendingThread(
      long id, long project, byte[] resourceHash, long from, long to, long changedVersion) {}

  /**
   * Threads of projects of a home that changed since a time and lack vectors of a model.
   *
   * @param first the home's least id
   * @param last its greatest
   */
  @SqlQuery(
      PENDING
          + """
          FROM thread_heads h LEFT JOIN embedding_threads s ON s.thread_id = h.thread_id
          WHERE h.project_id IN (<projects>) AND h.thread_id BETWEEN :first AND :last
            AND h.updated_at >= :since AND h.message_count > 0
            AND (s.thread_id IS NULL OR s.model_id <> :model OR s.next_seq < h.next_seq)
          ORDER BY h.project_id LIMIT :limit
          """)
  List<PendingThread> changedSince(
      long first, long last, @BindList List<Long> projects, Instant since, int model, int limit);

  /** The first threads of a range of ids, whether they lack vectors or not. */
  @SqlQuery(
      PENDING
          + """
          FROM (SELECT thread_id, project_id, resource_id, base_seq, next_seq, changed_version FROM thread_heads
                WHERE thread_id BETWEEN :first AND :last ORDER BY thread_id LIMIT :limit) h
          LEFT JOIN embedding_threads s ON s.thread_id = h.thread_id ORDER BY h.thread_id
          """)
  List<PendingThread> page(long first, long last, int model, int limit);

  /**
   * A message without a vector.
   *
   * @param size its characters are no more
   */
  record Lacking(long seq, long size) {}

  @SqlQuery(
      """
      SELECT m.seq, m.content_bytes AS size FROM messages m
      LEFT JOIN message_vectors v ON v.project_id = :project AND v.resource_hash = :resourceHash
                                 AND v.thread_id = m.thread_id AND v.seq = m.seq AND v.model_id = :model
      WHERE m.thread_id = :id AND m.seq >= :from AND m.seq < :to AND v.seq IS NULL
      ORDER BY m.seq LIMIT :limit
      """)
  List<Lacking> lacking(@BindMethods PendingThread thread, int model, int limit);

  /**
   * The content of a message.
   *
   * @param complete whether it is all of the content
   */
  record Content(long seq, boolean complete, String content) {}

  /** Contents of messages; of those larger than {@code max}, only the beginning. */
  @SqlQuery(
      """
      SELECT seq, content_bytes <= :max AS complete, IF(content_bytes > :max, LEFT(content, :beginning), content) AS content
      FROM messages WHERE thread_id = :thread AND seq IN (<seqs>)
      """)
  List<Content> contents(long thread, @BindList Collection<Long> seqs, int max, int beginning);

  /** Locks the head of a thread; its {@code changed_version}. */
  @SqlQuery("SELECT changed_version FROM thread_heads WHERE thread_id = :thread FOR UPDATE")
  Optional<Long> lock(long thread);

  /**
   * The progress of a thread's embedding.
   *
   * @param nextSeq messages below have vectors, unless there is nothing to embed in them
   * @param revision changes whenever vectors below may have changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record State(long thread, byte[] resourceHash, long nextSeq, long revision, int model) {}

  @SqlQuery(STATE + "FROM embedding_threads WHERE thread_id = :thread FOR UPDATE")
  Optional<State> lockState(long thread);

  /** States of the next of a resource's threads that have vectors of a model. */
  @SqlQuery(
      STATE
          + OF_MODEL
          + """
          AND resource_hash = :resourceHash AND thread_id > :after ORDER BY thread_id LIMIT\s"""
          + RowPages.ROWS)
  List<State> statesOfResource(
      @BindInHome("project") long project, int model, byte[] resourceHash, long after);

  @SqlQuery(STATE + OF_MODEL + "AND thread_id = :thread")
  List<State> stateOfThread(@BindInHome("project") long project, int model, long thread);

  @SqlUpdate(
      """
      INSERT INTO embedding_threads (project_id, resource_hash, thread_id, model_id, next_seq, revision)
      VALUES (:project, :resourceHash, :id, :model, :nextSeq, 0)
      """)
  void begin(@BindMethods PendingThread thread, int model, long nextSeq);

  @SqlUpdate(
      """
      UPDATE embedding_threads SET revision = revision + IF(model_id = :model, 0, 1), model_id = :model, next_seq = :nextSeq
      WHERE thread_id = :thread
      """)
  void advance(long thread, int model, long nextSeq);

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record NewVector(
      long project, byte[] resourceHash, long thread, long seq, int model, byte[] vector) {}

  @SqlUpdate(
      """
      INSERT INTO message_vectors (project_id, resource_hash, thread_id, seq, model_id, vector) VALUES <vectors>
      ON DUPLICATE KEY UPDATE model_id = VALUES(model_id), vector = VALUES(vector)
      """)
  void store(
      @BindMethodsList(
              value = "vectors",
              methodNames = {"project", "resourceHash", "thread", "seq", "model", "vector"})
          List<NewVector> vectors);

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record StoredVector(long thread, long seq, byte[] vector) {}

  /** The newest vectors of a range of messages, descending. */
  @SqlQuery(
      VECTORS
          + """
          project_id = :project AND resource_hash = :resourceHash AND thread_id = :thread
            AND seq >= :from AND seq < :to AND model_id = :model
          ORDER BY seq DESC LIMIT :limit
          """)
  List<StoredVector> newest(long project, @BindMethods State thread, long from, long to, int limit);

  /** Messages of a thread, the end not included. */
  record Range(State thread, long from, long to) {}

  /** All vectors of some ranges in threads of one project, thread by thread, ascending. */
  static List<StoredVector> vectors(Handle handle, long project, List<Range> ranges)
      throws SQLException {
    List<StoredVector> vectors = new ArrayList<>();
    SqlText sql = new SqlText(256 + 200 * ranges.size()).sql(VECTORS);
    sql.sql("project_id = ").number(project).sql(" AND thread_id IN (");
    sql.list(ranges, (text, range) -> text.number(range.thread.thread)).sql(") AND ");
    sql.any(ranges, VectorDao::append).sql(" ORDER BY thread_id, seq");
    sql.query(
        handle.getConnection(),
        row -> vectors.add(new StoredVector(row.getLong(1), row.getLong(2), row.getBytes(3))));
    return vectors;
  }

  private static void append(SqlText sql, Range range) {
    sql.sql("resource_hash = ").bytes(range.thread.resourceHash);
    sql.sql(" AND thread_id = ").number(range.thread.thread);
    sql.sql(" AND seq >= ").number(range.from).sql(" AND seq < ").number(range.to);
    sql.sql(" AND model_id = ").number(range.thread.model);
  }
}
