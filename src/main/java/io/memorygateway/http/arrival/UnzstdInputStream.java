package io.memorygateway.http.arrival;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdBufferDecompressingStreamNoFinalizer;
import com.github.luben.zstd.ZstdIOException;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.ZipException;

/**
 * Decompresses zstd (RFC 8878), one frame or several after each other, strictly: each must be
 * whole, and nothing else may follow the last one; the library's own stream takes the first bytes
 * of another frame for the end. Windows are bounded as RFC 9659 has it for HTTP. Not thread-safe.
 */
final class UnzstdInputStream extends InputStream {
  /**
   * Memory outside the heap that a body takes from its first byte, counted as bytes of a body are.
   */
  static final int STATE = (384 << 10) / RequestReservation.REQUEST_COST;

  private static final int MAX_WINDOW_LOG = 23;

  private final InputStream in;
  private final Frames frames;
  private boolean begun;
  private boolean inputEnded;

  UnzstdInputStream(InputStream in) throws IOException {
    this.in = in;
    this.frames = new Frames();
    frames.setLongMax(MAX_WINDOW_LOG);
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
      while (frames.hasRemaining()) {
        int count = frames.read(ByteBuffer.wrap(to, offset, length));
        if (count > 0) {
          return count;
        }
        if (inputEnded && frames.hasRemaining()) {
          if (!begun) {
            break;
          }
          throw new ZipException("the data end too early");
        }
      }
      return -1;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (ZstdIOException e) {
      throw refusal(e);
    }
  }

  @Override
  public void close() throws IOException {
    frames.close();
    in.close();
  }

  private static IOException refusal(ZstdIOException e) {
    long code = e.getErrorCode();
    if (code == Zstd.errDictionaryWrong()) {
      throw refused("needs a dictionary: compress it without one.");
    }
    if (code == Zstd.errFrameParameterWindowTooLarge()) {
      throw refused("has a window of more than 8 MB: compress it with a smaller one.");
    }
    return new ZipException(e.getMessage());
  }

  private static ApiException refused(String why) {
    return ApiException.invalidRequest("The zstd body of the request " + why);
  }

  /** The library's decoder, fed from the input. */
  private final class Frames extends ZstdBufferDecompressingStreamNoFinalizer {
    private final byte[] buffer = new byte[8192];

    Frames() {
      super(ByteBuffer.allocate(0));
    }

    @Override
    protected ByteBuffer refill(ByteBuffer used) {
      try {
        int count = in.read(buffer, 0, buffer.length);
        inputEnded = count <= 0;
        begun |= count > 0;
        return ByteBuffer.wrap(buffer, 0, Math.max(0, count));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
