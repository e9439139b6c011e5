package io.memorygateway.observation;

import org.jdbi.v3.core.Handle;

/** Copies the observations of a thread to a clone of it. */
public final class ObservationCopies {
  private static final int ID_HEAD = 28;

  private ObservationCopies() {}

  /**
   * Copies configuration and records. Chunks that are not yet appended are not copied: they name
   * messages by ids, which differ in the copy, and are prepared again.
   *
   * @param newId a UUID that no record has
   */
  public static void copy(Handle handle, long fromThread, long toThread, String newId) {
    ObservationCopyDao dao = handle.attach(ObservationCopyDao.class);
    dao.copyState(fromThread, toThread);
    dao.copyRecords(fromThread, toThread, newId.substring(0, ID_HEAD));
  }
}
