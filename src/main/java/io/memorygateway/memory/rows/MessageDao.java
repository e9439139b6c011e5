package io.memorygateway.memory.rows;

import static io.memorygateway.database.RowPages.ROWS;

import io.memorygateway.database.BindInHome;
import io.memorygateway.database.RowPages;
import io.memorygateway.json.Characters;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethodsList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Table {@code messages}. Ids of clients are bound as UTF-8. */
@RegisterRowMapper(MessageRow.Mapper.class)
@RegisterRowMapper(MessageDao.Found.Mapper.class)
public interface MessageDao {
  String ROW = "SELECT " + MessageRow.COLUMNS + "\nFROM messages m\n";

  /** Start of an insert, to be followed by rows. */
  String INSERT =
      "INSERT INTO messages (thread_id, seq, public_id, role, type, content, created_at, incomplete, content_bytes, tokens) VALUES ";

  @SqlUpdate(INSERT + "<rows>")
  void insert(
      @BindMethodsList(
              value = "rows",
              methodNames = {
                "threadId",
                "seq",
                "publicId",
                "role",
                "type",
                "content",
                "createdAt",
                "incomplete",
                "contentBytes",
                "tokens"
              })
          List<Insert> rows);

  @SqlQuery(ROW + "WHERE m.thread_id = :threadId AND m.public_id = :publicId")
  Optional<MessageRow> find(long threadId, String publicId);

  /**
   * A message, or only its position if its content was not read.
   *
   * @param row null if the message is large, or may be
   */
  record Found(long threadId, long seq, @Nullable MessageRow row) {
    public static final class Mapper implements RowMapper<Found> {
      @Override
      public Found map(ResultSet row, StatementContext context) throws SQLException {
        MessageRow message = row.getString(5) == null ? null : MessageRow.of(row);
        return new Found(row.getLong(9), row.getLong(1), message);
      }
    }
  }

  /** Finds a message with the columns of {@link MessageRow}; the content only if it is small. */
  @SqlQuery(
      """
      SELECT m.seq, m.public_id, m.role, m.type, IF(m.content_bytes <= 65536, m.content, NULL), m.created_at,
             m.incomplete, m.superseded, m.thread_id
      FROM messages m JOIN thread_heads t ON t.thread_id = m.thread_id JOIN threads r ON r.id = t.thread_id
      WHERE t.project_id = :projectId AND t.public_id = :threadId AND m.public_id = :publicId
        AND t.thread_id BETWEEN :first AND :last
      """)
  Optional<Found> findIfSmall(
      @BindInHome("projectId") long projectId, String threadId, String publicId);

  /** Reads the latest state, also where the transaction's snapshot is older than its lock. */
  @SqlQuery(
      ROW + "WHERE m.thread_id = :threadId AND m.public_id IN (<publicIds>) LOCK IN SHARE MODE")
  List<MessageRow> findLatest(long threadId, @BindList Collection<String> publicIds);

  /** Which of these are ids of messages, on the same state. */
  @SqlQuery(
      "SELECT public_id FROM messages WHERE thread_id = :threadId AND public_id IN (<publicIds>) LOCK IN SHARE MODE")
  List<String> knownIds(long threadId, @BindList Collection<String> publicIds);

  @SqlQuery(ROW + "WHERE m.thread_id = :threadId AND m.seq IN (<seqs>) ORDER BY m.seq")
  List<MessageRow> findBySeq(long threadId, @BindList Collection<Long> seqs);

  @SqlQuery(
      ROW
          + """
            WHERE m.thread_id = :threadId AND m.seq >= :from AND m.seq < :to
            ORDER BY m.seq LIMIT :limit
            """)
  List<MessageRow> range(long threadId, long from, long to, int limit);

  /**
   * Size of a message.
   *
   * @param bytes UTF-8 bytes of its content
   */
  record Size(long seq, long bytes) {}

  /** Sizes of the messages of {@link #range}, without reading contents. */
  @SqlQuery(
      """
      SELECT seq, content_bytes AS bytes FROM messages
      WHERE thread_id = :threadId AND seq >= :from AND seq < :to
      ORDER BY seq LIMIT :limit
      """)
  List<Size> sizes(long threadId, long from, long to, int limit);

  /** Sizes of the messages before a seq, nearest first. */
  @SqlQuery(
      """
      SELECT seq, content_bytes AS bytes FROM messages
      WHERE thread_id = :threadId AND seq < :seq
      ORDER BY seq DESC LIMIT :limit
      """)
  List<Size> sizesBefore(long threadId, long seq, int limit);

  @SqlQuery("SELECT seq FROM messages WHERE thread_id = :threadId AND public_id = :publicId")
  Optional<Long> seqOf(long threadId, String publicId);

  @SqlQuery(
      "SELECT COUNT(*) FROM messages WHERE thread_id = :threadId AND seq >= :from AND seq < :to")
  long count(long threadId, long from, long to);

  /** Sizes of messages by their ids, in the latest state. */
  @SqlQuery(
      """
      SELECT seq, content_bytes AS bytes FROM messages
      WHERE thread_id = :threadId AND public_id IN (<publicIds>) LOCK IN SHARE MODE
      """)
  List<Size> sizesOf(long threadId, @BindList Collection<String> publicIds);

  @SqlQuery(
      """
      SELECT seq, content_bytes AS bytes FROM messages WHERE thread_id = :threadId AND seq IN (<seqs>) ORDER BY seq
      """)
  List<Size> sizesBySeq(long threadId, @BindList Collection<Long> seqs);

  /** Sum of the UTF-8 bytes of the contents of a range. */
  @SqlQuery(
      """
      SELECT COALESCE(SUM(content_bytes), 0) FROM messages
      WHERE thread_id = :threadId AND seq >= :from AND seq < :to
      """)
  long contentBytes(long threadId, long from, long to);

  /** Seq of the message that is a number of messages after the first one of a range. */
  @SqlQuery(
      """
      SELECT seq FROM messages WHERE thread_id = :threadId AND seq >= :from
      ORDER BY seq LIMIT 1 OFFSET :skipped
      """)
  Optional<Long> seqAfter(long threadId, long from, long skipped);

  @SqlQuery(
      """
      SELECT seq, content_bytes AS bytes FROM messages
      WHERE thread_id = :threadId AND public_id IN (<publicIds>) FOR UPDATE
      """)
  List<Size> lockSizes(long threadId, @BindList Collection<String> publicIds);

  @SqlUpdate(
      "UPDATE messages SET type = :type, content = :content, content_bytes = :contentBytes, tokens = NULL WHERE thread_id = :threadId AND seq = :seq")
  void rewrite(long threadId, long seq, String type, String content, long contentBytes);

  /** Seqs of the assistant's messages that follow a message, up to the next of another role. */
  @SqlQuery(
      """
      SELECT seq FROM messages
      WHERE thread_id = :threadId AND seq > :question AND seq < :before AND role = 'assistant' AND superseded = 0
        AND seq < COALESCE((SELECT MIN(o.seq) FROM messages o
                            WHERE o.thread_id = :threadId AND o.seq > :question AND o.role <> 'assistant' AND o.superseded = 0), :before)
        AND seq > :after ORDER BY seq LIMIT\s"""
          + ROWS)
  List<Long> answersTo(long threadId, long question, long before, long after);

  default List<Long> answersTo(long threadId, long question, long before) {
    return RowPages.read(Long::longValue, after -> answersTo(threadId, question, before, after));
  }

  /** Those of the seqs whose messages are superseded, on the latest state. */
  @SqlQuery(
      "SELECT seq FROM messages WHERE thread_id = :threadId AND seq IN (<seqs>) AND superseded = 1 ORDER BY seq LOCK IN SHARE MODE")
  List<Long> superseded(long threadId, @BindList Collection<Long> seqs);

  /** Whether others than the assistant have written after a message, on the latest state. */
  @SqlQuery(
      """
      SELECT COALESCE(MIN(seq), 0) > 0 FROM messages
      WHERE thread_id = :threadId AND seq > :question AND role <> 'assistant' AND superseded = 0
      """)
  boolean isFollowed(long threadId, long question);

  /** Seqs of the last messages of the conversation before a message, at most so many. */
  @SqlQuery(
      """
      SELECT seq FROM messages WHERE thread_id = :threadId AND seq < :before AND superseded = 0
      ORDER BY seq DESC LIMIT :count
      """)
  List<Long> lastLive(long threadId, long before, int count);

  /** Whether a message belongs to a turn that broke off, on the latest state. */
  @SqlQuery(
      "SELECT COUNT(*) > 0 FROM messages WHERE thread_id = :threadId AND seq = :seq AND incomplete = 1")
  boolean isIncomplete(long threadId, long seq);

  @SqlQuery(
      """
      SELECT seq FROM messages WHERE thread_id = :threadId AND seq > :after AND seq < :before AND superseded = 0
      ORDER BY seq LIMIT\s"""
          + ROWS)
  List<Long> firstLiveBetween(long threadId, long after, long before);

  /** Seqs of the messages between two others that belong to the conversation. */
  default List<Long> liveBetween(long threadId, long after, long before) {
    return RowPages.read(
        Long::longValue, last -> firstLiveBetween(threadId, Math.max(after, last), before));
  }

  @SqlUpdate(
      "UPDATE messages SET superseded = :superseded WHERE thread_id = :threadId AND seq IN (<seqs>)")
  void supersede(long threadId, @BindList Collection<Long> seqs, boolean superseded);

  @SqlUpdate("UPDATE messages SET incomplete = 0 WHERE thread_id = :threadId AND seq IN (<seqs>)")
  void complete(long threadId, @BindList Collection<Long> seqs);

  @SqlUpdate("DELETE FROM messages WHERE thread_id = :threadId AND seq IN (<seqs>)")
  void delete(long threadId, @BindList Collection<Long> seqs);

  /**
   * Copies messages into another thread, under the same seqs and with new ids: UUIDs of version 7
   * whose last 62 bits count up with the seq.
   *
   * @param idHead the first half of every new id, with a hyphen at its end
   * @param idTail the second half of the id for seq 0, as an unsigned number
   */
  @SqlUpdate(
      """
      INSERT INTO messages (thread_id, seq, public_id, role, type, content, created_at, incomplete, superseded, tokens,
                            content_bytes)
      SELECT :to, seq,
             CONCAT(:idHead, LOWER(INSERT(LPAD(HEX(CAST(:idTail AS UNSIGNED) + seq), 16, '0'), 5, 0, '-'))),
             role, type, content, created_at, incomplete, superseded, tokens, content_bytes
      FROM messages WHERE thread_id = :from AND seq >= :fromSeq AND seq < :toSeq ORDER BY seq
      """)
  void copy(long from, long fromSeq, long toSeq, long to, String idHead, String idTail);

  /**
   * A row to insert.
   *
   * @param tokens of the content; null if they were not counted
   */
  record Insert(
      long threadId,
      long seq,
      String publicId,
      String role,
      String type,
      String content,
      Instant createdAt,
      boolean incomplete,
      long contentBytes,
      @Nullable Integer tokens) {

    public static Insert of(long threadId, MessageRow row) {
      return new Insert(
          threadId,
          row.seq(),
          row.publicId(),
          row.role(),
          row.type(),
          row.content(),
          row.createdAt(),
          row.incomplete(),
          Characters.utf8Length(row.content()),
          row.tokens());
    }
  }
}
