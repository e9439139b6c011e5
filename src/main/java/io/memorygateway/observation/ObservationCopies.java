package io.memorygateway.observation;

import org.jdbi.v3.core.Handle;

/** Lets the copy of a thread keep what was observed of its source. */
public final class ObservationCopies {
  private static final int ID_HEAD = 28;

  private ObservationCopies() {}

  /**
   * Copies settings and records. Chunks that wait to be appended are not copied: they name messages
   * by their ids, which are other ones in the copy, and are made again.
   *
   * @param newId a UUID that no record has
   */
  public static void copy(Handle handle, long fromThread, long toThread, String newId) {
    ObservationCopyDao dao = handle.attach(ObservationCopyDao.class);
    dao.copyState(fromThread, toThread);
    dao.copyRecords(fromThread, toThread, newId.substring(0, ID_HEAD));
  }
}
