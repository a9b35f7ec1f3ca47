"""What the readers need and the language lacks, by the name of its twin in Python.

Functions of `catalog/architectures/json_value.py` look into parsed JSON; the others stand for
operators and built-in functions. tests/conformance runs each of them in both languages.
"""

from __future__ import annotations

JSON_VALUE = "catalog.architectures.json_value"

NATIVE_MODULES = frozenset({JSON_VALUE})

NATIVES = {
    # The value of a key, null where it is not there; a key of the object's own, never inherited.
    f"{JSON_VALUE}.item": "(a,b)=>Object.hasOwn(a,b)?a[b]:null",
    f"{JSON_VALUE}.key_names": "a=>Object.keys(a)",
    f"{JSON_VALUE}.kind_of": (
        '(a)=>a==null?"null":typeof a=="number"?"number":typeof a=="string"?"text"'
        ':typeof a=="boolean"?"flag":Array.isArray(a)?"list":"mapping"'
    ),
    f"{JSON_VALUE}.as_number": "a=>a",
    f"{JSON_VALUE}.as_text": "a=>a",
    f"{JSON_VALUE}.as_flag": "a=>a",
    f"{JSON_VALUE}.as_items": "a=>a",
    f"{JSON_VALUE}.as_mapping": "a=>a",
    f"{JSON_VALUE}.nothing": "()=>({})",
    f"{JSON_VALUE}.merged": "(a,b)=>({...a,...b})",
    f"{JSON_VALUE}.with_number": "(a,b,c)=>({...a,[b]:c})",
    f"{JSON_VALUE}.with_texts": "(a,b,c)=>({...a,[b]:c})",
    f"{JSON_VALUE}.shown": ('(a)=>{a=JSON.stringify(a);return a.length>60?a.slice(0,59)+"…":a}'),
    f"{JSON_VALUE}.whole_number": "(a)=>/^[0-9]{1,9}$/.test(a.trim())?Number(a):null",
    f"{JSON_VALUE}.decimal_number": r"(a)=>/^[0-9]+(\.[0-9]+)?$/.test(a)?Number(a):null",
}

HELPERS = {
    "architecture_error": (
        'class extends Error{constructor(a,b,c="other"){super(a+": "+b);'
        'this.name="ArchitectureError";this.key=a;this.reason=b;this.code=c}}'
    ),
    # Python's "%g": six digits, whole numbers without a dot, exponents of two digits
    "general": (
        '(a)=>{if(Object.is(a,-0))return"-0";let b=a.toPrecision(6),[c,d]=b.split("e");'
        'if(d===undefined&&a!==0&&Math.abs(a)<1e-4)[c,d]=a.toExponential(5).split("e");'
        'if(c.includes("."))c=c.replace(/\\.?0+$/,"");'
        'return d===undefined?c:c+"e"+d[0]+d.slice(1).padStart(2,"0")}'
    ),
    "modulo": "(a,b)=>{let c=a%b;return c===0?b<0?-0:0:c<0!==b<0?c+b:c}",
    "equal": (
        '(a,b)=>a===b||a!==null&&b!==null&&typeof a=="object"&&typeof b=="object"&&'
        "(Array.isArray(a)?a.length===b.length&&a.every((c,d)=>SELF(c,b[d]))"
        ":Object.keys(a).every(c=>SELF(a[c],b[c])))"
    ),
    "zip": (
        '(a,b)=>{if(a.length!==b.length)throw new RangeError("zip");return a.map((c,d)=>[c,b[d]])}'
    ),
    "enumerate": "a=>a.map((b,c)=>[c,b])",
    "removeprefix": "(a,b)=>a.startsWith(b)?a.slice(b.length):a",
    "removesuffix": "(a,b)=>b&&a.endsWith(b)?a.slice(0,-b.length):a",
    "repeat": "(a,b)=>Array(b).fill(a).flat()",
}
