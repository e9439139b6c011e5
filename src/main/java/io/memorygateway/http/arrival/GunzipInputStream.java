package io.memorygateway.http.arrival;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses gzip (RFC 1952), one member or several after each other, strictly: each must have
 * its trailer, and nothing else may follow the last one. {@link java.util.zip.GZIPInputStream}
 * takes malformed data, or data that has not arrived yet, after a member for the end. Not
 * thread-safe.
 */
public final class GunzipInputStream extends InputStream {
  private static final int HEADER_CRC = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xE0;

  private final InputStream in;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 checksum = new CRC32();
  private final CRC32 headerChecksum = new CRC32();
  private final byte[] buffer = new byte[8192];
  private int at;
  private int end;
  private boolean inMember;
  private boolean ended;

  public GunzipInputStream(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    try {
      while (!ended) {
        if (!inMember && !beginMember()) {
          ended = true;
        } else {
          int count = inflater.inflate(to, offset, length);
          if (count > 0) {
            checksum.update(to, offset, count);
            return count;
          }
          if (inflater.finished()) {
            endMember();
          } else if (inflater.needsDictionary()) {
            throw new ZipException("a dictionary is needed");
          } else {
            if (at == end) {
              fill();
            }
            inflater.setInput(buffer, at, end - at);
            at = end;
          }
        }
      }
      return -1;
    } catch (DataFormatException e) {
      throw new ZipException(e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    ended = true;
    inflater.end();
    in.close();
  }

  /** Reads the header of a member; false at the end of the input. */
  private boolean beginMember() throws IOException {
    if (at == end && !readOn()) {
      return false;
    }
    headerChecksum.reset();
    if (headerByte() != 0x1F || headerByte() != 0x8B || headerByte() != Deflater.DEFLATED) {
      throw new ZipException("not gzip");
    }
    int flags = headerByte();
    if ((flags & RESERVED) != 0) {
      throw new ZipException("reserved flags");
    }
    skip(6);
    if ((flags & EXTRA) != 0) {
      skip(headerByte() | headerByte() << 8);
    }
    if ((flags & NAME) != 0) {
      skipText();
    }
    if ((flags & COMMENT) != 0) {
      skipText();
    }
    if ((flags & HEADER_CRC) != 0) {
      int expected = (int) headerChecksum.getValue() & 0xFFFF;
      if ((headerByte() | headerByte() << 8) != expected) {
        throw new ZipException("the header is damaged");
      }
    }
    inflater.reset();
    checksum.reset();
    inMember = true;
    return true;
  }

  private void endMember() throws IOException {
    at = end - inflater.getRemaining();
    long expected = little();
    if (expected != checksum.getValue() || little() != (inflater.getBytesWritten() & 0xFFFFFFFFL)) {
      throw new ZipException("the data are damaged");
    }
    inMember = false;
  }

  private long little() throws IOException {
    long value = 0;
    for (int i = 0; i < 4; i++) {
      value |= (long) headerByte() << (8 * i);
    }
    return value;
  }

  private void skip(int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      headerByte();
    }
  }

  private void skipText() throws IOException {
    while (headerByte() != 0) {
      // until the byte that ends it
    }
  }

  private int headerByte() throws IOException {
    if (at == end) {
      fill();
    }
    int b = buffer[at++] & 0xFF;
    headerChecksum.update(b);
    return b;
  }

  /** Reads more input, which must not end here. */
  private void fill() throws IOException {
    if (!readOn()) {
      throw new ZipException("the data end too early");
    }
  }

  private boolean readOn() throws IOException {
    int count = in.read(buffer, 0, buffer.length);
    at = 0;
    end = Math.max(0, count);
    return count > 0;
  }
}
