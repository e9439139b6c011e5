package io.memorygateway.format.align;

/**
 * A message of a branch that the thread's conversation has left: it is stored and superseded.
 *
 * @param behind number of the messages of the conversation that were stored before it
 */
public record Left(NormalForm form, int behind) {}
