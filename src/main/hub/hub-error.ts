/** Why a request was turned away. In every case but `unsure` it is certain that nothing was applied. */
export type HubErrorCode =
  | 'foreign'
  | 'malformed'
  | 'too-large'
  | 'too-many'
  | 'not-signed-in'
  | 'not-paired'
  | 'device-removed'
  | 'replayed'
  | 'other-device'
  | 'pairing-refused'
  | 'already-paired'
  | 'not-found'
  | 'unsure';

/** A refusal: a code to branch on and a plain sentence. Everybody may read it, so it never says more than it must. */
export interface HubError {
  readonly code: HubErrorCode;
  readonly sentence: string;
}

const STATUS: Readonly<Record<HubErrorCode, number>> = {
  foreign: 403,
  malformed: 400,
  'too-large': 413,
  'too-many': 429,
  'not-signed-in': 401,
  'not-paired': 401,
  'device-removed': 401,
  replayed: 409,
  'other-device': 403,
  'pairing-refused': 403,
  'already-paired': 409,
  'not-found': 404,
  unsure: 503,
};

const SENTENCES: Readonly<Record<HubErrorCode, string>> = {
  foreign: 'This address is for paired devices only. Nothing was done.',
  malformed: 'The hub does not understand this request. Nothing was done.',
  'too-large': 'The request is too large or broke off. Nothing was done.',
  'too-many': 'Too many requests at once. Nothing was done.',
  'not-signed-in': 'This session is over. Nothing was done.',
  'not-paired': 'This device is not paired with this hub. Nothing was done.',
  'device-removed': 'This device was removed from the hub. Nothing was done.',
  replayed: 'This request was sent before. It was not done again.',
  'other-device': 'A device can speak only for itself. Nothing was done.',
  'pairing-refused': 'The pairing was refused on the hub.',
  'already-paired': 'A device with this number is paired already, with another key. Nobody was let in.',
  'not-found': 'There is nothing at this address. Nothing was done.',
  unsure: 'The hub cannot tell at the moment.',
};

export function hubError(code: HubErrorCode, sentence: string = SENTENCES[code]): HubError {
  return { code, sentence };
}

export function statusOf({ code }: HubError): number {
  return STATUS[code];
}
