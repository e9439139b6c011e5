package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.Home;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.TestDatabase;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages of a home are embedded while the shard of another stands still. */
@Tag("heavy")
class EmbedderHomesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int HOME = 16_384;

  @Test
  void aHomeThatDoesNotAnswerIsPassedOver() throws Exception {
    EmbedderRig rig = new EmbedderRig(DATABASE);
    List<MessageRow> rows = rig.store("t", "The violin.");
    rig.jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO projects (id, public_id, name, created_at) VALUES (?, UUID(), 'far',"
                    + " UTC_TIMESTAMP(3))",
                new Home(HOME).first() + 1));
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      relay.freeze(HOME);
      String url = DATABASE.url(relay).replace("PREFERRED", "DISABLED") + "&socketTimeout=2000";
      Jdbi slow = SqlObjects.install(Jdbi.create(url, DATABASE.user(), DATABASE.password()));
      Embedder embedder = rig.node(slow).embedder();

      assertThat(embedder.workOnce()).isTrue();
      assertThat(rig.vectors(rows)).isEqualTo(1);
      int asked = relay.held();
      assertThat(asked).isPositive();

      rows.addAll(rig.store("u", "The fiddle."));
      assertThat(embedder.workOnce()).isTrue();
      assertThat(rig.vectors(rows)).isEqualTo(2);
      assertThat(relay.held()).isEqualTo(asked);
    }
  }
}
