/// RSA keys of the greatest size that is imported, and of two bits more.
package enum LongKeys {
    /// 4096 bits.
    package static let longest = """
        -----BEGIN PRIVATE KEY-----
        MIIJQgIBADANBgkqhkiG9w0BAQEFAASCCSwwggkoAgEAAoICAQCrhD9NVveyMfxn
        cM1g6Zzx+6murEQTLFjlerVXUNJF/4zFgmSxjHdYptpiZ5c9Nt72jpyqRbzQBksz
        soXCnSPb6B1hycT/hW9+Dn00PIrbkPKbjsQDNMJrnOeGB3bFSTfl2E76f1UN9NGF
        OTDJLzaZWffDzfK/dmIv0ebWLrYUwvyMc9K1pokRfFh0vxN7PvAVvvthj14gHGAn
        wOoMSM3a7C++qtp69yY/ZfExtn0uK+UVxm2XFKJWqfhk+SY3CW/Gld5Ql4akpQwj
        UZl81zeL2fkfnCB3463X3Fk/PBw2Oxu2QMR+uwtQdOc9qYTtUPhfh44qZlf0QCwl
        iYFqvjsnElQkS2610X7h/2fHmElrIvjTIv2BJ84y2W2f5vEGRyC5jRxPSeVnGeE6
        Fc8CGHJWkicfqdXYikz5MmFHcf8iZUyf+DZODaiFAGE3MOzTParlJ4IBiy/ZjCMQ
        5IR/qKG6FAjRG41imuVJo2EQV71mHn+wFcRKkr/9ToAPJCChA9sv8dTbfLR+fWK5
        wZazQtkyU1lue+moQbe67emQgsfX8J4W2UFlLo265mgy3Be9Y9v88v/l1YH9Z3rk
        11BvcJxH7dSZjSTNw374V7B2eNX0Tx2HIwbekbNJ/4a9XcglzSwRPdINpmjhe6+2
        KWnz9BR/OmUdr6IQeb6md3YtdFYRLwIDAQABAoICAAQhOQz5rRkjTvqGostUlKzW
        7G0CRNlZVgKgg8FIdueskY0n6JjF0xHVYqi/6cpVieTR5j/LUhKINENYZxQaiISB
        AEQcgZvNcLPOUYFye71xrgXE2D9jg9LngkOd5mQ1sRzdqnkpm7isTmcwy1XsxxnG
        KssSKGgnx5FzMmWx1jyFvWL8XvR0wBQltFOLTkLHbyx23sKomxGW3VHXuUr2bc55
        pWSn5H7VeJxKLhaOWFFGSUvO7VCX9Ji1mv+DaEIm/gQAE8xI+br5JmOrUVDKNdIu
        O2thbP62AreR3KxDHELKBY7L3G9YvZsAVZkMfeDg9DoIn4mx0ShWazm0J+OUFQR/
        unCUPhijmmEakL7Oy0ZH4YxbmGlWn8ovVV3YRv4nZHKkbZIie12MkqcDYUphYZOq
        FJFnEB20XHjoKGt+r7ktGJDbZ7iWkK1LndgvCLlWmraQjdze173SvzL0ipCQYIrj
        BCNNJ1ix0LdEHCZtpif/XkKpoCsdDY2YMGGpDt3+vMHwmjkuH9CKVHl+ETL4o0CC
        +QXdt8ENi0mOqQhpRUCsk8HPO4plr7T1CwsidEgqUReW3+mbz+pJ2qsndalX4Sy4
        gvFLGfbN2NfKSjU4S5vo9MuWXouqQ2DbsYiP7XdSeYEc9QyDLiR955Ntu6ue3tWY
        knEmY+igYwJvYXfm/nbRAoIBAQDWt7/ttzU1Cx3x9BZRYABPRTWGTvk4+3zgfo8n
        SkLcf9+JrLR5SO9+M+PYI/u53GtFpN5k6mnHWHizRiH7Bkn/j+U2520G6Jiju5rl
        IP6v5QY0OXQepjFdriBmBWZwR6Wp9Hsa5yjxdj+KC6tQtoNejXtcRDrlAp8Puwwy
        kr2b8Hfxh2437Qt1gWVmUZO7EVFQjCPRqKc3iGJZ9f/4a7fMuiOOg0b4nUPv8hiN
        IHEZzAqsrlwrZHRYo0dwngSIYMBer9qSGROBTqq5ki4F0Nld7z4aU8BLDq2KEkdB
        JS+4lujE5hEfzkINIBXKKPQSwOz1NhIFG0F1BWb8z6h62oKDAoIBAQDMfirTYv/Z
        SSWP6Oy6aBt4jkOM+5nvSfs5kw08wfK5swQNIp25+uFkfGkN7EfNO9+sgvzeJLzh
        Ge8JHIAiahrHcSM8gngtzeXTNwBpf9iOadvTF6bxJKQ1bdl/30jDXcSrIUNMd9oU
        7RRZBdB07KlltDqVWaenJHEbFS2J9yraAVI5YZQlyzwsYTIzP8No67UsFYKtPFYp
        mj1U6QINfy0lcVpPY/pSJoubSZ9rSe9lcACObgMOxpA7yX/auMbN3fy9mJxBkwsU
        fzTGWhA8YD7dmUTzlo9hun4cKh5FMIxQzGImzovmic3Se/FGaqKsCn3s7JN6+8Y1
        xr30qeFe+sblAoIBABCUzhCIdmZrPlvB8rtEA6IbgR+nF53r5d/cRifNl0453cRe
        /uzi0gPX8/9r//OBbxNIwRff9l07ms6VWuhsuugub5AG3SeMbMUwJq0NGD3zHMCJ
        s0ruoJ9QZBYc0qVXExcF1z/jnAjRjeSWNBuejJSPrngYmMe4pRns4utA472YG1se
        j0doWdswK+lz4Umv86yZteZp9MfYE2hJFARWJTJ9KWPHBYMLegScmILFf5ZzaFuf
        d2SudEGoEktDGKyDdDebsvBXWWdB8PM1s7IlR7P2VsBnuVDSiFpCQRhpy76ggMc7
        0RS4s+cZlDUxZm/QUDw7ebbFPQ/RY/uf+a3LFAsCggEAGui/WfG9GSq29qj//ceV
        Vdfiq7qwFvz1Qi5Hn6cl+anE7rWPa9nHryFv8ZUWHbuzQ1A5VkIfWL/A5MILWnv7
        6iLJMD0680wU4iZqt3dLV/I2KyEBptnbgexioqEPQiYkqyBFatqaqAZKlyxcsgYy
        hF+jFeQmW6g/+gBfbbhIu0dROpvMkuybjnt7z6KkZDogLRznhURbUj4ps/K1gnEp
        z7OK3seZORY5aMXXZJbmGcMTT6rKXDdk43kwieemwZBkoc5jQX3IB3p1x2Qynr9L
        hn2UxTkaxRF1Zt9j/FbXIArFH7YuUrfvjbMhnNKLdXgr+fFnttdKzejJNljkf0sg
        wQKCAQEAktyAFbJjTGKEbaWv3YKZtdLvsHlNH9uWu2rBtNLqeKTEIX8PFziXH9hF
        I3QzwVbZkOkVHbL6W4gQowl7mShPU47R/jLC+dVuIylxk8+nGAGPZsUFUke4dkMZ
        0LkmbLNbGnCRJv9OVstjCTNFxuIu4mtdnw1x72Ox5iyHKqxPkhZd5qGvNdHrYIkL
        7oSL37Rf43rKYVBbrphQvykZNLzyUM3B/FWDZGvjecmsitYqcoxGRzJPTbwDWjCk
        vygR6wFsbBL5OGi2u695Ux5L7VP56ZtgPw67LW0/1LNSWwUHmDei7O9LfUniVawq
        /YLGTInUWX/hK7CazmQ/YK5R+zrLXw==
        -----END PRIVATE KEY-----
        """

    /// 4098 bits.
    package static let tooLong = """
        -----BEGIN PRIVATE KEY-----
        MIIJRAIBADANBgkqhkiG9w0BAQEFAASCCS4wggkqAgEAAoICAQL9kdo7QvyaJG/t
        Tsgd93gN2v7oLj4jyFW/4fbpZ32Pbm6hmgO0IeRULyci46+p6McIkwqB2VKo0dEn
        Jau8ZcZQJ9KDtrNBPQx915F4MNPCoKB5ZkVxH+3mD952A8SaF0/PvSeZdw2PJkeT
        x0V47eNuRk2rIj7n8IHnxjPlbDYdYWCa10I0NEU5vSiCuGweJcYuigXqTAhn5p9D
        SCNPrc7veCjPOhIBnUL7l7LhmqIX5ZjRhH/obgGQzLilNOYcjmPdu5FFhXMX46sY
        rT7ZNUGLqsqnm1rWyqgEW28NZ7VzR8jDwQ+338KCxSBXCxVbypdu7VHWlMFwpkBh
        +cG+1ey2M9+Qj1lAfkByQV+1jlAryUjPj2pdW6MuNYwxFxiPFUtgFsVv6VZOyyEe
        34ftInkGhPL6OOiF7Nr7Ne3USMRfdx+vVP2i/jVqJiEzT7CRPjFsUQIvMzQYnlMc
        RHkBuMRrvrzHYDaF7NPB2YfRFeLvzP4gPxLNt1WN4XvMSohQNdzqL79s44bDzVc6
        973wQrjpSw+OtA2dzjSZQaSsPAfB+SzT8GKPSF2w6c9hbSYcgh7Ic4+E2Wuzbjqa
        tE8I9qPcebnJIo/c9g4nSffA02UI/HTmjKBr2A3S0wLiVXjY4T1yXb75o5TMIcw9
        dMGv0L8rpe94GyOgL3s3wW3T/0aM3QIDAQABAoICACGJnSzRb211QS39MIkXiTva
        JyaWuAQrR45jYMSy0u5QoSoVLCpc/bquYiGGJfDkkKuQfXpYweVBY886OD7Fmp1y
        USeR/mJSQVTV97pzMSOqk70dvNcK1gopEc7LtXYmpUlteOmhLIfj3mjb5vA4Q6lW
        DRr9IhJZF+fGaAmZ5vj8hhXibjUJQSsZXUf0uk/LydXKGB4+fHPIx5tT8rAP5ivZ
        cLg7TASkFgYdjCmT85vmY/5xtoTBJPJp9YDPQ3Fmz3ssN137TaJzR9CJ7mHnklqC
        /eO/y4fzUs72DnRg4bMOJv5kW8LrW4MNDbCifKoLwvyKCvbCh4Le1Z01Ksaoanke
        GgI7G8S0Hk0IeM1hXsMizQSF8O2PIOcW9BXKzx0VJU6vw2chQH1M0qPeUhZg3x7s
        +OUrIKzFktGJhkQBvK5Gz/i3mtxwQ4OoMKPWhrZvfVI0daH46ZhaE1i5dtFsDaol
        2aIBNLoctOA6t8VM4vkvMWy4crqyDspwu37k9x9ky1ZV2w2ZjslRil45bJp/K7v1
        9ziEChEyuGKIDnCnwjS24ekpz6Cjinu6QIIR1znMYxquQdVpnZ4jQoz+4f60/ccd
        CqvZUjrXvSoJhrQUNh6ahTK+Cms8etzV4ycXITsCJnM6DNJjcwFDLMMyoE2Ril4o
        gzuSxtw/maB+rucqqaulAoIBAQHFminLyVhmx2jg77E2V7ZSWAqrJy9EtkoXc/Hs
        +bg2VQsyqyYeK5It2QijGewyrFX9ONIxHcjtAmp9OGtpULr1cvFofh+QZR+UHjrK
        XcWr+0neInYk5NvQ3X8FfWLcsOvgZcwrezHOr1J2Enho34+gUUf3L7qf6C3E1/yS
        kU4EtvCvRotWgpu8W54GS56v+q5/reHqQUzR4s7J66WamiX0S9K0H0Xw2oayZLir
        cCnU06Mhln4V+rgsZaXIGnj6Baw0c3iBT/8otUlkJdywyMkIPoKQ1XuYSpmWlMre
        14a42T36GeHm1xrqMw+h/fGAgZi8FT/d6txsrcUMqikIthsTAoIBAQGwEMNPMtUb
        7kdHfD8AILeqdzRxpFP7EFw9MtdiCXLkGWOvwNzclqtgkFcQeVrSPZgANV+UbFGe
        mcgQYL4HEenskISJph567OvPxzndo6xvAxGdmYJvzubf2tZUg1f7oj0gE2e8vHWb
        KAHtT7dQKlXnyJVqn0tgDjBzI1qwj/zwQiPW10TUOgZU9Nt31l8llNgc3U6xfhhi
        GMpW0o2zoXZ4vbC97lvfqQmD/ZQgvKrue9NA/C0+ZpIjuJQjIiQvOMu0qgOW/Pnk
        h7Mf+vGElnht2srFvimulso+qQiMF0b6VxA7VjrBhV00kH8cBAQOcMhstytPGxHU
        pau+5Nn+P0ZPAoIBAQC+90tXXzoXcyZlZKP/0+ePPT+olMOisvf4bbjRYsS6Iw2m
        1EUk+IT/RlsLh5NYNhOxmuVrBjYcCiNY+pLF8NX1FeIqcsbJHLmxuxRXNClPYWjU
        2z9QAwXEJiwe3I3tiZKUk2bke2YZtNgLm3UT+eLWxMF+gJqaTb5PG/tanU/yTi6A
        LDvnPO9h2lRqJBX30pr6Z/MvkzRLPKiAe/PpZbJK6k0Xxf7FCssgeaUBkCQcVMle
        D6SfjkFRd63W08ZQxGieYGrATjSHJ+NxBTunNbDlBqQjY604DVgh/Bx4utYeJl+g
        VpszeyX6qWqQcX/l8SmjLXMI86K/Il1OGqlR4JD/AoIBAQGu+/mm3cDgfJ4Te6do
        XDp5SzFADrhK3zXzQezA+UXmrEDZBxwI2i6XQ0PlxffHcfNWeeceqbH87882Lxo+
        +SqLdFkQ6WjMG9rZxxQ8t1CA5+HBgGgxWYTJVYSoht/TvTEV9uVqyd7SZ2UMsJDd
        4W0RqO8KjV1lsqG3qFOFfgvEKWWQn+kjfcHlKt5lOqxsU34DxOoDeRGfgLUNSDhb
        L7t6k1VjEAoLH5XDWMZSpYAoJdJDp4kGDtDF2w/BwAOyKwhf7ZtpGG24/Xe7ddlG
        9cWpZy8PczIm2nlhacGB5JJDk2c4mTpA4eRoU57HdmYJdY0njMshvJHbuWqJH8Un
        rTxXAoIBAQDFN8YNvaUQOv6N3cOa9UJrpOhkdCcQOhQC6eS0XFxsVnnXV55DUE+N
        OweOhNCMXfnjngzKAIEZop9KgIhSZ9w+yAgvHGJDAx/umQ+thT8bKETW0ATlgKNv
        qYsR/fWC+Q/mEKaBxQWZPvlmBtGwo5xD8bBEyuteGjd2RL7DPzanIgkBVZUmHAQJ
        z2clo67VSn+jlYmLNMu2/fPn+7rjpb/GI9U03gVIoobiGX1MucG+L93T6eEDRXyf
        qnIMuBVXNIgdj0563MxRwJBgKNayrogcrpQ9gB7blUoKWf0xWo0lpIy2wjBZuLdb
        oH7KKTZFCa1XXZEyPjHvh6tIDj5D3I52
        -----END PRIVATE KEY-----
        """
}
