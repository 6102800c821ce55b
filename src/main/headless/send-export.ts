import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { SECURITY_HEADERS } from '../bridge/static-files.ts';
import type { LedgerDownload } from '../ledger/ledger-exports.ts';

/**
 * Hands a file over as it is made. Whatever goes wrong ends the connection (`pipeline` does that), so that no half file passes
 * for a whole one.
 */
export async function sendExport(response: ServerResponse, download: LedgerDownload): Promise<void> {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${download.fileName}"`,
  });
  try {
    await pipeline(download.body, response);
    download.ended(null);
  } catch (cause) {
    download.ended(cause);
  }
}
