"""What the lessons compute: small data, small fits, and numbers for every sentence. No Streamlit in it."""
