package io.memorygateway.ops;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import io.dropwizard.jackson.AnnotationSensitivePropertyNamingStrategy;
import io.dropwizard.jackson.FuzzyEnumModule;
import io.dropwizard.jackson.Jackson;

/**
 * Mapper that reads the configuration and the admin API's bodies: Dropwizard's own without
 * Blackbird, which generates code for each property at each start, and nothing here reads often.
 */
public final class DropwizardJson {
  private DropwizardJson() {}

  /** Returns a new mapper. */
  public static ObjectMapper mapper() {
    return Jackson.newMinimalObjectMapper()
        .registerModules(
            new FuzzyEnumModule(),
            new ParameterNamesModule(),
            new Jdk8Module(),
            new JavaTimeModule())
        // A limit of 0.0000001 dollars is shown as it was given.
        .configure(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN, true)
        .setPropertyNamingStrategy(new AnnotationSensitivePropertyNamingStrategy());
  }
}
