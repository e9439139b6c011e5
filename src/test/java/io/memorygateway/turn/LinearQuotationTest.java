package io.memorygateway.turn;

import static io.memorygateway.testing.HostileText.assertLinear;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.ObservationContext;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.search.Passages;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is put into a call takes work in proportion to its length, whatever a model has noted. */
@Tag("heavy")
class LinearQuotationTest {
  private static final int LENGTH = 2_000;
  private static final ContextConfig CONFIG =
      new ContextConfig(30_000, 40_000, 2_000, RecallScope.THREAD, true, ZoneOffset.UTC);

  @Test
  void notesAreFramed() {
    assertLinear(
        LENGTH,
        text -> {
          ObservationContext.of("* note <" + text, "<" + text, text);
          ContextNotes.of(new ContextNotes.LogEnd(text, 0, text.length()), null, null, 20_000);
          ContextNotes.of(new ContextNotes.LogEnd(text, 9, 50_000), null, null, 20_000);
        });
  }

  @Test
  void messagesAreQuoted() {
    assertLinear(
        LENGTH,
        text -> {
          List<StoredMessage> call = List.of(StoredMessage.of("user", JsonWriter.quote(text)));
          Quotations quotations =
              new Quotations(CONFIG, 10, 20_000, call, Passages.NONE, new TokenCounter()::count);
          quotations.add(row("<" + text), List.of(), List.of());
        });
  }

  private static MessageRow row(String text) {
    return new MessageRow(
        1, "m", "user", "text", JsonWriter.quote(text), Instant.EPOCH, false, false);
  }
}
