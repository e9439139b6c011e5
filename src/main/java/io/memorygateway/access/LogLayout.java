package io.memorygateway.access;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.Nulls;
import io.dropwizard.logging.common.DropwizardLayout;
import io.dropwizard.logging.common.layout.DiscoverableLayoutFactory;
import io.dropwizard.logging.json.EventJsonLayoutBaseFactory;
import java.util.Locale;
import java.util.TimeZone;

/**
 * Configuration of an appender's layout: {@code layout: {type: gateway, format: text|json}} in
 * config.yml.
 */
@JsonTypeName("gateway")
public final class LogLayout implements DiscoverableLayoutFactory<ILoggingEvent> {
  /** A message is one line, though a driver's has more; a stack trace stands below it. */
  private static final String TEXT =
      "%-5p [%d{ISO8601,UTC}] %c{1}: %replace(%X{request_id} ){'^ $', ''}"
          + "%replace(%m){'[\\x00-\\x1F\\x7F-\\x9F\\u2028\\u2029]+\\s*', ' '}%n%rEx{20}";

  private String format = "text";

  @JsonProperty
  public String getFormat() {
    return format;
  }

  /**
   * Sets the format of lines.
   *
   * @throws IllegalArgumentException if it is neither text nor json
   */
  @JsonSetter(nulls = Nulls.FAIL)
  public void setFormat(String format) {
    String lower = format.toLowerCase(Locale.ROOT);
    if (!lower.equals("text") && !lower.equals("json")) {
      throw new IllegalArgumentException("format is text or json, not '" + format + "'");
    }
    this.format = lower;
  }

  @Override
  public LayoutBase<ILoggingEvent> build(LoggerContext context, TimeZone timeZone) {
    if (format.equals("text")) {
      DropwizardLayout layout = new DropwizardLayout(context, timeZone);
      layout.setPattern(TEXT);
      return layout;
    }
    EventJsonLayoutBaseFactory json = new EventJsonLayoutBaseFactory();
    json.setFlattenMdc(true);
    json.setTimestampFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
    JsonLines layout = new JsonLines(json.build(context, TimeZone.getTimeZone("UTC")));
    layout.setContext(context);
    return layout;
  }
}
