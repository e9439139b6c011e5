// What the rest of the console has of Preact, in one place.
import { h, render, Component, Fragment } from './vendor/preact.js';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from './vendor/preact-hooks.js';
import htm from './vendor/htm.js';

const html = htm.bind(h);

export { html, render, Component, Fragment, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState };
