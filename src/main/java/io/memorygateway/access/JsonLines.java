package io.memorygateway.access;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * Layout of log lines as JSON: requests with a field for each recorded value, everything else as in
 * Dropwizard's own layout.
 */
final class JsonLines extends LayoutBase<ILoggingEvent> {
  private static final JsonFactory JSON = new JsonFactory();

  private final LayoutBase<ILoggingEvent> others;

  JsonLines(LayoutBase<ILoggingEvent> others) {
    this.others = others;
  }

  @Override
  public void start() {
    others.start();
    super.start();
  }

  @Override
  public void stop() {
    super.stop();
    others.stop();
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    Object[] arguments = event.getArgumentArray();
    return arguments != null && arguments.length == 1 && arguments[0] instanceof AccessEntry entry
        ? line(event, entry)
        : others.doLayout(event);
  }

  private static String line(ILoggingEvent event, AccessEntry entry) {
    StringWriter out = new StringWriter(512);
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("timestamp", Instant.ofEpochMilli(entry.endTime()).toString());
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("logger", event.getLoggerName());
      entry.forEach((name, value) -> write(json, name, value));
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.append('\n').toString();
  }

  private static void write(JsonGenerator json, String name, Object value) {
    try {
      json.writeObjectField(name, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
