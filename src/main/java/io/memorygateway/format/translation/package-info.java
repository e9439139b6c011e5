/**
 * Translation of calls and answers between the formats (contract §14): the words in which a call
 * and an answer are said in no format's form, and what is the same for each pair. Each format reads
 * and writes them by its {@link io.memorygateway.format.translation.Translator}.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.format.translation;
